"""The figure of exercise 5: the reference is trained with and without positions, and both curves become an SVG.

``python graders/ex05_order_matters/figure.py`` writes ``exercises/order_matters.svg`` anew.
"""

from collections.abc import Callable
from statistics import median
from typing import Any

import torch
from torch import nn

from graders.engine.judge.course_files import import_file
from graders.engine.judge.draw import Draw
from graders.engine.load.course import find_course
from graders.engine.run.worker.training import train
from graders.engine.run.worker.workbench import Bench
from graders.ex05_order_matters.drawing import Curve, Words, draw
from graders.ex05_order_matters.order import BATCH, LENGTH, RATE, UNSEEN_RUNS, VOCAB, Strings, draw_strings

SLUG = "ex05_order_matters"
NAMES = {True: "with positions", False: "without positions"}
STEPS, EVERY = 100, 5
SEEDS = range(9)


class Watch:
    """A hook that notes the accuracy on unseen strings before every few training steps of a model."""

    def __init__(self, unseen: Strings, every: int) -> None:
        self.found: list[float] = []
        self._unseen = unseen
        self._every = every
        self._calls = 0

    def __call__(self, model: nn.Module, arguments: object) -> None:
        """Look at the model, when it is called in training and it is time."""
        if model.training:
            if self._calls % self._every == 0:
                self.look(model)
            self._calls += 1

    def look(self, model: nn.Module) -> None:
        """Note the accuracy now; the model goes on in training mode."""
        ids, labels = self._unseen
        model.eval()
        with torch.no_grad():
            right = model(ids).argmax(dim=1) == labels
        model.train()
        self.found.append(float(right.to(torch.float64).mean()))


def accuracies(classifier: Callable[..., nn.Module], *, use_positions: bool, seed: int, steps: int) -> list[float]:
    """Train one model with the grader's loop; return its accuracy before the first step and after every few."""
    training, unseen = draw_strings(Draw(seed, "figure"))
    torch.manual_seed(seed)
    model = classifier(VOCAB, use_positions=use_positions)
    watch = Watch(unseen, EVERY)
    hook = model.register_forward_pre_hook(watch)
    train(Bench(), model, *training, steps=steps, batch=BATCH, rate=RATE, seed=seed)
    hook.remove()
    watch.look(model)
    return watch.found


def curve(classifier: Callable[..., nn.Module], *, use_positions: bool, seeds: range, steps: int) -> Curve:
    """Return median, smallest and largest accuracy of one training for each seed."""
    runs = [accuracies(classifier, use_positions=use_positions, seed=seed, steps=steps) for seed in seeds]
    columns = list(zip(*runs, strict=True))
    return Curve(
        NAMES[use_positions],
        tuple(range(0, steps + 1, EVERY)),
        tuple(median(column) for column in columns),
        tuple(min(column) for column in columns),
        tuple(max(column) for column in columns),
    )


def words(seeds: range) -> Words:
    """Return the texts of the figure."""
    count = 2 * UNSEEN_RUNS
    return Words(
        title="Rising or falling? The same model with and without positions",
        across=f"training steps of {BATCH} strings",
        up="accuracy on unseen strings (share)",
        note=f"line: median of {len(seeds)} trainings, band: smallest to largest",
        source=f"Accuracy on {count} unseen strings of {LENGTH} tokens, as a share of 1: the median of {len(seeds)} "
        "trainings, smallest and largest in brackets.",
    )


def main() -> None:
    """Train, draw, write the file, and print what the last step reached."""
    torch.set_num_threads(1)  # sums are added up in one order, so that the file is the same each time
    course = find_course(None)
    reference: Any = import_file(course.reference(SLUG))
    both = [curve(reference.OrderClassifier, use_positions=on, seeds=SEEDS, steps=STEPS) for on in NAMES]
    target = course.exercises / "order_matters.svg"
    target.write_text(draw(both[0], both[1], words(SEEDS)), encoding="utf-8", newline="\n")
    for line in both:
        print(f"{line.name}: {line.median[-1]:.2f} after {line.steps[-1]} steps ({line.low[-1]:.2f} or more)")


if __name__ == "__main__":
    main()

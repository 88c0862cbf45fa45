"""The reports that students see: real submissions, judged, scored and printed, one golden file for each situation.

Whether the words suit the situation is for a reader of the golden files; that a change of them is seen is for this.
"""

import io
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

import graders
from graders.engine.author.answers import wrong_answers
from graders.engine.judge.session import Options, judge
from graders.engine.load.assignment import assignments
from graders.engine.load.course import find_course
from graders.engine.load.reading import load_submission
from graders.engine.load.rubric import load_rubric
from graders.engine.report.console import make_console
from graders.engine.report.terminal import print_card
from graders.engine.run.supply import WorkerSupply
from graders.engine.score.scoring import score
from tests.conftest import Golden
from tests.made_by import PRACTICE, STRICT

COURSE = find_course(Path(graders.__file__).parents[1])
RUBRIC = load_rubric(COURSE.rubric)
SINUSOIDAL, TOKEN_POS, SEGMENTS = SLUGS = ("ex01_sinusoidal", "ex02_token_pos", "ex03_bert_segments")
SEED = 0
COLUMNS = 80


@dataclass(frozen=True, slots=True)
class Situation:
    """The files that a student hands in, by exercise, and how they are graded."""

    files: Mapping[str, str]
    hidden: bool = False
    seconds: float = RUBRIC.limits.seconds
    absent: tuple[str, ...] = ()
    """Exercises that are graded although no file of them is there."""


def stub(slug: str) -> str:
    return COURSE.stub(slug).read_text(encoding="utf-8")


def reference(slug: str) -> str:
    return COURSE.reference(slug).read_text(encoding="utf-8")


def wrong(slug: str, name: str) -> dict[str, str]:
    """An entry of wrong.yaml, as the files of a submission."""
    answers, _ = wrong_answers(COURSE, slug)
    (source,) = (answer.source for answer in answers if answer.name == name)
    return {slug: source}


def edited(text: str, old: str, new: str) -> dict[str, str]:
    """Exercise 2 with one text of this source replaced, as the files of a submission."""
    assert text.count(old) == 1
    return {TOKEN_POS: text.replace(old, new)}


ANSWER = reference(TOKEN_POS)
FORWARD = "        length = token_ids.shape[1]\n"


def in_forward(line: str) -> dict[str, str]:
    """The reference of exercise 2 with a line put in front of those of forward."""
    return edited(ANSWER, FORWARD, f"        {line}\n{FORWARD}")


FIRST_TODO = re.compile(r"        # TODO 1 .*?\n        raise NotImplementedError\(.*?\)\n", re.DOTALL)
FIRST_DONE = """\
        self.tok = nn.Embedding(vocab_size, d_model)
        self.pos = nn.Embedding(max_len, d_model)
        self.drop = nn.Dropout(dropout)
"""

SITUATIONS = {
    "stubs_untouched": Situation({slug: stub(slug) for slug in SLUGS}),
    "stubs_untouched_hidden": Situation({slug: stub(slug) for slug in SLUGS}, hidden=True),
    "second_todo_open": Situation({TOKEN_POS: FIRST_TODO.sub(FIRST_DONE, stub(TOKEN_POS))}),
    "one_reference": Situation({TOKEN_POS: ANSWER}),
    "all_references": Situation({slug: reference(slug) for slug in SLUGS}),
    "all_references_hidden": Situation({slug: reference(slug) for slug in SLUGS}, hidden=True),
    "ex01_halves_side_by_side": Situation(wrong(SINUSOIDAL, "concat_halves")),
    "ex01_plain_attribute": Situation(wrong(SINUSOIDAL, "plain_attribute"), hidden=True),
    "ex02_positions_from_one": Situation(wrong(TOKEN_POS, "positions_from_one")),
    "ex02_python_list": Situation(wrong(TOKEN_POS, "python_list")),
    "ex02_swapped_sizes": Situation(wrong(TOKEN_POS, "swapped_sizes")),
    "ex02_dropout_on_tokens_only": Situation(wrong(TOKEN_POS, "dropout_tok_only"), hidden=True),
    "ex02_device": Situation(wrong(TOKEN_POS, "arange_no_device"), hidden=True),
    "ex03_no_layernorm": Situation(wrong(SEGMENTS, "no_layernorm")),
    "ex03_eps_default": Situation(wrong(SEGMENTS, "eps_default"), hidden=True),
    "syntax_error": Situation(edited(ANSWER, "def forward(self, token_ids: torch.Tensor) -> torch.Tensor:",
                                     "def forward(self, token_ids: torch.Tensor) -> torch.Tensor")),
    "file_missing": Situation({slug: reference(slug) for slug in (SINUSOIDAL, SEGMENTS)}, absent=(TOKEN_POS,)),
    "class_missing": Situation(edited(ANSWER, "class TokenPosEmbedding(", "class TokenPositionEmbedding(")),
    "package_missing": Situation({TOKEN_POS: f"import tensorflow as tf\n{ANSWER}"}),
    "exception_and_output": Situation(edited(
        ANSWER, "        total = token_rows + position_rows\n",
        '        print("token rows", token_rows.shape)\n        total = token_rows + position_rows.T\n',
    )),
    "endless_loop": Situation(in_forward("while True: pass"), seconds=1),
    "exit": Situation(in_forward("import os; os._exit(1)")),
    "too_much_memory": Situation(in_forward("torch.zeros(25, 1 << 30)")),
}  # fmt: skip


@pytest.fixture(autouse=True)
def _no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE", "LINES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", str(COLUMNS))


def report(situation: Situation, folder: Path, supply: WorkerSupply) -> str:
    """Return what is printed for the student."""
    (folder / "exercises").mkdir()
    for slug, source in situation.files.items():
        (folder / "exercises" / f"{slug}.py").write_text(source, encoding="utf-8")
    selected = [slug for slug in SLUGS if slug in situation.files or slug in situation.absent]
    submission = load_submission(folder, assignments(COURSE, RUBRIC, selected))
    limits = RUBRIC.limits.model_copy(update={"seconds": situation.seconds})
    rubric = RUBRIC.model_copy(update={"limits": limits})
    (outcomes,) = judge(COURSE, rubric, [submission], supply, Options(SEED, situation.hidden))
    grader = (STRICT if situation.hidden else PRACTICE).model_copy(update={"seed": SEED})
    printed = io.StringIO()
    print_card(score(rubric, submission.files, outcomes, grader), make_console(printed))
    return printed.getvalue()


@pytest.mark.parametrize("name", SITUATIONS)
def test_card(name: str, golden: Golden, tmp_path: Path, supply: WorkerSupply) -> None:
    golden("cards", name, report(SITUATIONS[name], tmp_path, supply))

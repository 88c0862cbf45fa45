"""How a classifier is judged on order: the strings, the training, and what changing places does to its logits."""

from collections.abc import Callable
from itertools import combinations

import torch

from graders.engine.judge.vocabulary import Draw, Module, Raised, Unexpected, expect_tensor

VOCAB, LENGTH, UNSEEN_RUNS = 10, 4, 60
STEPS, ROUNDS = 50, 20
BATCH, RATE = 32, 0.003
ROUNDING, SEEN = 1e-5, 1e-3
"""Changes of logits, as a share of their size: what rounding may do, and less than any use of order does."""
MEMORISED = 0.3

Strings = tuple[torch.Tensor, torch.Tensor]


def draw_strings(rng: Draw) -> tuple[Strings, Strings]:
    """Return ids and labels for training, and others to judge by: no run occurs in both."""
    shuffled = torch.Generator().manual_seed(rng.seed())
    runs = torch.tensor(list(combinations(range(VOCAB), LENGTH)))
    runs = runs[torch.randperm(len(runs), generator=shuffled)]
    training, unseen = (torch.cat((part, part.flip(1))) for part in (runs[UNSEEN_RUNS:], runs[:UNSEEN_RUNS]))
    return (training, is_falling(training)), (unseen, is_falling(unseen))


def is_falling(ids: torch.Tensor) -> torch.Tensor:
    """Return 1 for every string that falls, 0 for every one that rises."""
    return (ids[:, 0] > ids[:, -1]).to(torch.int64)


def exchange_labels(strings: Strings) -> Strings:
    """Return the same strings, 0 for every one that falls and 1 for every one that rises."""
    ids, labels = strings
    return ids, 1 - labels


def train(module: Module, strings: Strings, rng: Draw) -> float:
    """Train one round, leave it in evaluation mode, and return the mean loss of the last ten steps."""
    losses = module.train_classifier(*strings, steps=STEPS, batch=BATCH, rate=RATE, seed=rng.seed())
    module.eval()
    return sum(losses[-10:]) / len(losses[-10:])


def shake(module: Module, rng: Draw) -> Module:
    """Add noise to all weights that learn, so that what begins at zero shows as well; in evaluation mode."""
    noise = torch.Generator().manual_seed(rng.seed())
    learning = [path for path, facts in module.inventory().parameters.items() if facts.requires_grad]
    weights = {path: module.read(path).values for path in learning}
    shaken = {path: held + 0.5 * torch.randn(held.shape, generator=noise) for path, held in weights.items()}
    module.assign(shaken)
    return module.eval()


def accuracy(module: Module, strings: Strings) -> float:
    """Return the share of strings to whose class the module gives the larger logit."""
    ids, labels = strings
    logits = logits_of(module, ids)
    return float((logits.argmax(dim=1) == labels).to(torch.float64).mean())


def logits_of(module: Module, ids: torch.Tensor) -> torch.Tensor:
    """Return the two logits of every string, in float64."""
    hint = "The logits are not finite numbers any more: look for a division, a root or a logarithm in forward."
    return expect_tensor(module(ids), (len(ids), 2), "the logits", dtype=None, hint=hint).to(torch.float64)


def expect_places(module: Module, ids: torch.Tensor) -> None:
    """Expect that the module, made for as many places as these strings have, takes them."""
    came = module.eval().attempt(ids)
    places = ids.shape[1]
    if isinstance(came, Raised):
        raise Unexpected(
            f"two logits for strings of {places} tokens, from OrderClassifier(11, max_len={places})",
            f"{came.type_name}: {came.message}",
            "Give the positions max_len rows: neither a fixed number nor the size of the vocabulary says how many.",
        )
    expect_tensor(came, (len(ids), 2), f"the logits of {len(ids)} strings of {places} tokens", dtype=None)


def changes(module: Module, ids: torch.Tensor) -> dict[str, float]:
    """Return by how much the logits change when tokens change places, as a share of the largest logit plus one."""
    seq = ids.shape[1]
    orders = {
        "reversed": list(range(seq))[::-1],
        "rotated by one place": [*range(1, seq), 0],
        "reversed behind the first token": [0, *range(1, seq)[::-1]],
        "reversed before the last token": [*range(seq - 1)[::-1], seq - 1],
    }
    plain = logits_of(module, ids)
    scale = 1 + float(plain.abs().max())
    return {
        words: float((logits_of(module, ids[:, order]) - plain).abs().max()) / scale for words, order in orders.items()
    }


def expect_blind(
    module: Module,
    ids: torch.Tensor,
    what: str,
    explain: Callable[[dict[str, float]], str],
    tolerance: float = ROUNDING,
) -> None:
    """Expect that no change of places changes the logits; `explain` says what may have made one."""
    found = changes(module, ids)
    words, change = max(found.items(), key=lambda item: item[1])
    if change > tolerance:
        expected = f"{what}: the same logits, up to rounding, in whichever order the tokens of a string stand"
        raise Unexpected(expected, f"logits change by up to {change:.2g} when strings are {words}", explain(found))


def explain_leak(found: dict[str, float]) -> str:
    """Say how a model without positions may know one place from another."""
    if found["reversed behind the first token"] <= ROUNDING:
        return "Pool over all places: what reads place 0 alone knows which token came first, without any position."
    if found["reversed before the last token"] <= ROUNDING:
        return "Pool over all places: what reads the last place alone knows the last token, without any position."
    return (
        "Leave out everything that treats places differently: positions that are added all the same, a causal mask, a "
        "GRU or a convolution along the string, flatten or a linear layer over the places."
    )


def explain_blindness(found: dict[str, float], logits: torch.Tensor) -> str:
    """Say why a model with positions may not tell a string from its reverse; `logits` are those of many strings."""
    if float((logits - logits[0]).abs().max()) <= ROUNDING:
        return "Compute the logits from the ids: they are the same for every string."
    if max(found.values()) > SEEN:
        return "Use the places themselves, or signed distances: |i - j| is the same read from either end."
    return (
        "Add the positions, and put something non-linear between the sum and the pooling: mean(tok + pos) is mean(tok) "
        "+ mean(pos), and mean(pos) is the same for every string."
    )


def explain_company(first: torch.Tensor, second: torch.Tensor) -> str:
    """Say why the logits of a string depend on its batch; `first` and `second` are those of one batch, called twice."""
    if float((first - second).abs().max()) > ROUNDING * (1 + float(first.abs().max())):
        return "Give the same answer twice: in eval() nothing is random, and nothing is kept from one call to the next."
    return "Axis 0 holds strings and axis 1 places: attention layers of torch need batch_first=True."


def explain_failure(loss: float, trained: bool) -> str:
    """Say why training may not have reached its goal; `trained`: the logits have changed at all."""
    if not trained:
        return "Nothing is trained: make all parts in __init__, and keep detach() and torch.no_grad() out of forward."
    if loss < MEMORISED:
        return "It knows its training strings by heart and no others: let every token be looked up by itself."
    return (
        "Begin with plain means: token rows plus position rows, one layer that mixes or bends the vectors at every "
        "place, their mean, a linear layer; initial values near 1 or below."
    )

"""The short form of `fuzz_wire`: the same mutations with a seed, what fuzzing has found so far, and known bombs."""

import random
import re
import tracemalloc
from collections import Counter
from pathlib import Path

import pytest

from graders.engine.run import connection, values, wire
from graders.engine.run.wire import MAGIC, MAX_HEADER_BYTES, PREFIX
from graders.engine.run.worker.orders import ORDERS
from tests.fuzz.frames import ANSWERS, honest, mutated
from tests.fuzz.reading import NUMBER, read, read_unfinished

HONEST = list(honest())
ROUNDS = 6000
REFUSALS = {
    refusal
    for module in (wire, values, connection)
    for refusal in re.findall(r'WireError\(f?"([^"{]+)', Path(module.__file__).read_text(encoding="utf-8"))
} - {"this is too large to send"}
"""How the sources begin to say why they refuse a frame."""


def framed(header: str, body: bytes = b"") -> bytes:
    return PREFIX.pack(MAGIC, len(header), len(body)) + header.encode() + body


def test_what_a_worker_answers_is_read() -> None:
    assert set(ANSWERS) == set(ORDERS)
    assert Counter(read(frame, order) for order, frame in HONEST) == {
        "value": sum(map(len, ANSWERS.values())),
        "Raised": len(ANSWERS),
    }


def test_mutations_end_in_one_of_few_ways_and_reach_every_refusal() -> None:
    tell = random.Random(20240607)
    ends: Counter[str] = Counter()
    corpus = list(HONEST)
    for _ in range(ROUNDS):
        order, frame = tell.choice(corpus)
        changed = mutated(frame, tell)
        end = read(changed, order)
        if ends[end] == 0:
            corpus.append((order, changed))  # something new came of it: go on from there
        ends[end] += 1
    assert set(ends) >= {"value", "Raised", "Closed"}
    assert all(ends[end] > ROUNDS // 50 for end in ("value", "Raised", "Closed"))
    unseen = {refusal for refusal in REFUSALS if not any(end.startswith(refusal) for end in ends)}
    assert not unseen, "no mutation led there"
    unrefused = {order for order in ORDERS if f"an answer to {order} has not the form of one" not in ends}
    assert unrefused <= {"make", "make_given", "read", "random_numbers"}, "these may answer anything"


def test_half_a_frame_waits_until_the_deadline() -> None:
    for _, frame in HONEST[:10]:
        assert {read_unfinished(frame[:kept]) for kept in (0, 5, PREFIX.size + 3, -1)} == {"DeadlinePassed"}


# What fuzzing has found


def test_a_family_of_exceptions_may_be_no_list() -> None:
    raised = '{"type": "E", "families": [[1]], "message": "", "line": 1, "frames": []}'
    header = f'{{"id": "{NUMBER}", "raised": {raised}, "tensors": []}}'
    assert read(framed(header), "call") == "an exception is not described as one"


def test_a_worker_may_send_what_only_the_judge_needs() -> None:
    header = f'{{"id": "{NUMBER}", "value": {{"generator": 3}}, "tensors": []}}'
    assert read(framed(header), "make") == "value"


# Bombs: much work or memory for few bytes


def filled(item: str) -> str:
    """Return the longest list of this item that a header can hold."""
    return "[" + ", ".join([item] * ((MAX_HEADER_BYTES - 200) // (len(item) + 2))) + "]"


def valued(text: str) -> str:
    return f'{{"id": "{NUMBER}", "value": {text}, "tensors": []}}'


@pytest.mark.parametrize(
    "header",
    [
        valued(filled("{}")),
        valued(filled('{"a":0}')),
        valued('{"dict":' + filled('["a",0]') + "}"),
        valued(filled("9" * 4000)),
        valued(filled("1e400")),
        valued("[" * 100_000),
        '{"tensors": [["uint8", ' + filled("2") + "]]}",
        '{"tensors": [["uint8", ' + filled("9" * 4000) + "]]}",
        '{"tensors": ' + filled("0") + "}",
    ],
    ids=lambda header: header[42:70],
)
def test_a_bomb_in_a_header_is_refused_within_little_memory(header: str) -> None:
    tracemalloc.start()
    try:
        assert any(map(read(framed(header), "read").startswith, REFUSALS))
        assert tracemalloc.get_traced_memory()[1] < 48 << 20
    finally:
        tracemalloc.stop()

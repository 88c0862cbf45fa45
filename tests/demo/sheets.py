"""What the made class answers in words: sheets of exercise 7, filled in as their students would, and discussions."""

import random
import textwrap
from collections.abc import Mapping
from typing import Any

import yaml

from tests.demo.material import Material
from tests.demo.plans import SHEET

RAW = {
    "colon_in_an_answer": ("combination", "The operation: addition"),
    "two_letters": ("bert_positions", "a and c"),
}
"""Mistakes of form: what stands behind `answer:`, as it is."""

CHOICES = (
    "I would take a relative scheme, because what matters in a conversation is how far apart two messages are.",
    "I choose rotary positions. They need no table at all, so nothing ends at 4096.",
    "I'd take absolute learned positions. The context is fixed at 4096 and a table of 4096 rows is simple and fast.",
    "A relative scheme such as ALiBi. It is known to work on sequences that are longer than those in training.",
    "I would use a learned table, as BERT and GPT-2 do: it goes wherever the data leads, and it costs one addition.",
)
REASONS = (
    "When old messages are cut off at the front, distances between the others stay the same, while absolute rows move.",
    "With a table, token 4097 has no row; one would have to stretch it and train again.",
    "The table has 4096 * d_model parameters, which is little beside the rest of the model.",
    "Most conversations are short, so the last rows of a table would hardly be trained.",
    "The product may well need 16 000 tokens next year, and then I would not want to begin again.",
)
AGAINST = (
    "Against it: at distances that it has never met in training, it gets worse as well.",
    "What speaks against it is the work in every layer instead of once at the input.",
    "On the other hand, a table would be simpler, and if 4096 is enough for ever it would do.",
    "The price is that nothing longer can be read without a trick such as interpolation.",
    "",
)
CLOSING = (
    "All in all I think that is the better bargain.",
    "I would measure both on real conversations before deciding.",
    "So that is my choice.",
    "",
)


def sheet(material: Material, mistakes: tuple[str, ...], chance: random.Random) -> str:
    """Return a sheet of answers: each in the words of some right one, but for the mistakes."""
    sheets = [_answers(text) for text in material.right[SHEET]]
    rights = [answers for answers in sheets if all(isinstance(answer, str) for answer in answers.values())]
    answers = {question: chance.choice(rights)[question] for question in rights[0]}
    for mistake in mistakes:
        answers |= _mistaken(material, mistake)
    return _filled_in(material.stubs[f"{SHEET}.yaml"], answers)


def discussion(material: Material, chance: random.Random) -> str:
    """Return a discussion below the heading of its stub."""
    said = " ".join(part for part in map(chance.choice, (CHOICES, REASONS, AGAINST, REASONS, CLOSING)) if part)
    return f"{material.stubs['ex07_discussion.md'].rstrip()}\n\n{textwrap.fill(said, 100)}\n"


def _answers(text: str) -> dict[str, Any]:
    """Return each answer of a sheet as it stands there, true and false as texts; some leave out the word `answer`."""
    read = yaml.load(text, yaml.BaseLoader)
    return {question: held["answer"] if isinstance(held, Mapping) else held for question, held in read.items()}


def _mistaken(material: Material, mistake: str) -> dict[str, str]:
    """Return what a mistake makes of the answers: those in which it differs from the reference."""
    if mistake in RAW:
        return dict([RAW[mistake]])
    reference = edited = material.references[f"{SHEET}.yaml"]
    for old, new in material.wrong[SHEET][mistake]:
        assert edited.count(old) == 1, mistake
        edited = edited.replace(old, new)
    right = _answers(reference)
    return {question: answer for question, answer in _answers(edited).items() if answer != right[question]}


def _filled_in(stub: str, answers: Mapping[str, str]) -> str:
    """Return the stub with an answer behind each `answer:`, a long one below it as its head tells students to."""
    head, *blocks = stub.split("\n\n")
    filled = [head]
    for block in blocks:
        question = block.partition(":")[0].strip()
        answer, raw = answers[question].strip(), answers[question] in dict(RAW.values()).values()
        short = raw or (len(answer) < 40 and answer.replace(" ", "").isalnum())
        text = f" {answer}" if short else " >-\n" + textwrap.indent(textwrap.fill(answer, 100), "    ")
        filled.append(block.rstrip().removesuffix("answer:") + f"answer:{text}")
    return "\n\n".join(filled) + "\n"

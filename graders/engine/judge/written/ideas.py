"""Whether a short answer in plain English holds a key idea: no model, only wordings that a person can read and add to.

The notation of wordings is that of `wordings`.
"""

from dataclasses import dataclass

from graders.engine.judge.written.clauses import clauses_of
from graders.engine.judge.written.english import SMALL
from graders.engine.judge.written.wordings import Text, alike, find_wording, parse_group, parse_wording

LIST_OF_WORDS = 6
"""So many words without a small one among them are a list of catchwords and no statement."""


@dataclass(frozen=True, slots=True)
class Idea:
    """A key idea: what is looked for, the wordings that hold it, and those that contradict it.

    `sought` tells the student what kind of statement is expected, and must not give it away. One of `denies` spoils an
    answer whatever else it says. `given` is a group of words for what the question takes for granted: "without" any of
    these is a condition and not a negation.
    """

    sought: str
    wordings: tuple[str, ...]
    denies: tuple[str, ...] = ()
    given: str = ""

    def __post_init__(self) -> None:
        for wording in (*self.wordings, *self.denies):
            parse_wording(wording)


@dataclass(frozen=True, slots=True)
class Judgement:
    """Whether an answer holds an idea."""

    fits: bool
    against: str = ""
    """The words that contradict it, if any do."""
    is_list: bool = False
    """Whether it is no statement, but a list of words."""


def judge_idea(text: str, idea: Idea) -> Judgement:
    """Return whether `text` holds the idea."""
    given = [phrase[0][0] for phrase in parse_group(idea.given)] if idea.given else []
    clauses = clauses_of(text, lambda word: any(alike(word, atom) for atom in given))
    said = Text(clauses)
    for denial in idea.denies:
        if (found := find_wording(denial, said)) is not None:
            return Judgement(False, " ".join(found.words))
    if not any(find_wording(wording, said) is not None for wording in idea.wordings):
        return Judgement(False)
    words = [word for clause in clauses for word in clause.words if word.isalpha()]
    if len(words) >= LIST_OF_WORDS and not SMALL.intersection(words):
        return Judgement(False, is_list=True)
    return Judgement(True)

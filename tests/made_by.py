"""What the cards and entries that tests make say about the grader: any values that a real run could have."""

from graders.engine.score.card import Grader, Sandbox
from graders.engine.score.class_entry import ClassEntry, State

SANDBOX = Sandbox(user="nobody", landlock_abi=7, layers=("landlock", "seccomp"), missing=())
PRACTICE = Grader(
    version="0.1.0",
    seed=7,
    commit=None,
    torch="2.13.0",
    python="3.11.7",
    hidden=False,
    mode="practice",
    sandbox=SANDBOX,
)
STRICT = PRACTICE.model_copy(update={"hidden": True, "mode": "strict"})


def class_entry(student: str, card_sha256: str | None, **changes: object) -> ClassEntry:
    """The line of a student in a class, with the digest of their card; without one nothing could be graded."""
    known = {
        "version": 1,
        "student": student,
        "source": "submissions.zip",
        "handed_in_at": None,
        "commit": None,
        "key": "d" * 64,
        "state": State.NOTHING if card_sha256 is None else State.GRADED,
        "said": "",
        "card_sha256": card_sha256,
        "findings": (),
    }
    return ClassEntry.model_validate(known | changes)

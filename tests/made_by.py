"""What the cards that tests make say about the grader: any values that a real run could have."""

from graders.engine.score.card import Grader, Sandbox

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

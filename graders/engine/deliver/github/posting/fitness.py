"""Whether a card may be posted: this module has every reason why not, and they are all said at once.

The card comes as an artifact of a job that handled a student's files. So it is held against what does not come from
there: the rubric of the course, and the commit and the pull request that GitHub names.
"""

from collections.abc import Iterator

from graders.engine.clean import one_line
from graders.engine.errors import UsageError, first_of
from graders.engine.load.rubric import Rubric
from graders.engine.score.agreement import disagreements
from graders.engine.score.card import Card
from graders.engine.score.sharing import share
from graders.engine.score.strictness import Strictness

MOST_SAID = 10


def require_postable(card: Card, rubric: Rubric, sha: str, isolation: Strictness) -> None:
    """Raise UsageError for a card that is of another course, commit or kind, or tells more than others may read."""
    _require_none([*disagreements(card, rubric), *_objections(card, rubric, sha, isolation)])


def require_student(student: str, owner: str) -> None:
    """Raise UsageError for a card of somebody else than the owner of the fork; GitHub's names ignore case."""
    if student.lower() != owner.lower():
        _require_none(
            [f"it is of {one_line(student or 'nobody')}, and the pull request is from {one_line(owner)}'s fork"]
        )


def _objections(card: Card, rubric: Rubric, sha: str, isolation: Strictness) -> Iterator[str]:
    if card.grader.commit != sha:
        yield f"it is of the commit {card.grader.commit or 'none'}, not of {sha}"
    if card.grader.mode != isolation:
        yield f"the mode of the run was {card.grader.mode}; expected {isolation}"
    listed = {exercise.slug for exercise in card.exercises}
    if missing := [slug for slug in rubric.exercises if slug not in listed]:
        yield f"it lacks the exercises {', '.join(missing)}"
    policy = rubric.post.hidden
    if share(card, policy) != card or (policy == "none" and card.withheld and card.withheld.band):
        yield f"it tells more of hidden checks than `post: {{hidden: {policy}}}` in grading.yaml lets others read"
    has_hidden = any(exercise.hidden or exercise.hidden_points for exercise in rubric.exercises.values())
    if has_hidden and not card.grader.hidden and card.withheld is None:
        yield "no hidden check ran, and the rubric has some: it is of practice, not a grade"


def _require_none(objections: list[str]) -> None:
    if not objections:
        return
    said = "\n".join(f"- {words}" for words in first_of(objections, MOST_SAID))
    raise UsageError(
        f"the card is not one to post here:\n{said}\nPost the card that `grade share` made for this commit."
    )

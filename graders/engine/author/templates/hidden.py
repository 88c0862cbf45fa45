"""Hidden checks: TODO, in one sentence what they see to that the visible ones do not."""

from types import ModuleType

from graders.engine.judge.vocabulary import Draw, Student, expect_close, needs, objective


# TODO: the objective that this check gives evidence for, one of those in grading.yaml.
@needs("shape")
@objective("some_objective")
def check_values(student: Student, reference: ModuleType, rng: Draw) -> None:
    """TODO: the line that a student reads, such as: every value is doubled"""
    x = rng.normal(rng.between(2, 4), rng.between(5, 8), rng.between(9, 12))
    got = student.Skeleton()(x)
    expect_close(got, reference.Skeleton()(x), "the result", tolerance=1e-6, axes=("item", "place", "feature"))

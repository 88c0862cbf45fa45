"""Visible checks: TODO, in one sentence what they see to. They never use the reference."""

from graders.engine.judge.vocabulary import Draw, Student, expect_tensor, objective


# TODO: the objective that this check gives evidence for, one of those in grading.yaml.
@objective("some_objective")
def check_shape(student: Student, rng: Draw) -> None:
    """TODO: the line that a student reads, such as: the result has the shape of the input"""
    batch, seq, d_model = rng.between(2, 4), rng.between(5, 8), rng.between(9, 12)
    got = student.Skeleton()(rng.normal(batch, seq, d_model))
    expect_tensor(got, (batch, seq, d_model), f"the result for x of shape ({batch}, {seq}, {d_model})")

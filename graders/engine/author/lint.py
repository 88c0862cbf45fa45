"""Whether the graders can be trusted: each exercise's checks are held against answers that are known right or wrong."""

from collections.abc import Sequence
from dataclasses import dataclass

from graders.engine.author.agreement import disagreements, sheet_disagreements
from graders.engine.author.answers import WrongAnswer, known_answer, read_source, wrong_answers
from graders.engine.author.leftovers import leftovers
from graders.engine.errors import CourseError
from graders.engine.judge.outcome import Outcome, Verdict
from graders.engine.judge.session import Options, judge
from graders.engine.load.course import Course
from graders.engine.load.handed_out import files_of, read_record, stubs_now
from graders.engine.load.reach import reach, secrets_in
from graders.engine.load.rubric import ExerciseRubric, Rubric
from graders.engine.load.submission import Submission
from graders.engine.report.matrix import Row
from graders.engine.run.supply import WorkerSupply

FAILING = frozenset({Verdict.FAIL, Verdict.ERROR, Verdict.TIMEOUT, Verdict.CRASHED})


@dataclass(frozen=True, slots=True)
class LintResult:
    """What lint found out about one exercise: its kill matrix, and a line for each thing that is wrong."""

    slug: str
    checks: tuple[str, ...] = ()
    rows: tuple[Row, ...] = ()
    problems: tuple[str, ...] = ()


def lint_exercise(course: Course, rubric: Rubric, slug: str, supply: WorkerSupply, seed: int) -> LintResult:
    """Judge every known answer of one exercise, hidden checks included, and compare with what each should do."""
    exercise = rubric.exercises[slug]
    missing = [path for path in _needed_files(course, exercise) if not (course.root / path).is_file()]
    if missing:
        return LintResult(slug, problems=tuple(f"{path} is missing" for path in missing))
    try:
        stub, reference = read_source(course.stub(slug)), read_source(course.reference(slug))
        wrong, problems = wrong_answers(course, slug)
    except CourseError as error:
        return LintResult(slug, problems=tuple(str(error).splitlines()))
    compare = sheet_disagreements if exercise.kind == "answers" else disagreements
    problems += compare(stub, reference, slug)
    problems += leftovers(course, rubric, slug)
    problems += _unrecorded(course, rubric, exercise)
    right = course.right(slug)
    if not right:
        problems.append(f"graders/{slug}/right/ holds no other right answer; one at least must pass every check")
    texts: list[tuple[str, str | bytes]] = [("reference", reference), ("stub", stub)]
    texts += [(f"right/{path.stem}", path.read_bytes()) for path in right]
    texts += [(answer.name, answer.source) for answer in wrong]
    answers = [known_answer(slug, name, text, course.stub(slug).suffix) for name, text in texts]
    try:
        judged = judge(course, rubric, answers, supply, Options(seed, hidden=True))
    except CourseError as error:
        return LintResult(slug, problems=(*problems, *str(error).splitlines()))
    # Not before: what can't be read at all is told in the judge's words.
    problems += secrets_in(reach(course, [course.checks(slug, "visible")]))
    checks = tuple(outcome.check for outcome in judged[0])
    rows = _rows(answers, judged, wrong)
    problems += [f"{slug}: {row.name} {row.problem}" for row in rows if row.problem]
    problems += _unused_checks(slug, checks, wrong)
    return LintResult(slug, checks, tuple(rows), tuple(problems))


def _needed_files(course: Course, exercise: ExerciseRubric) -> list[str]:
    paths = [course.exercises / name for name in files_of(exercise)] + [course.references / exercise.file]
    paths += [course.checks(exercise.slug, "visible"), course.wrong(exercise.slug)]
    return [path.relative_to(course.root).as_posix() for path in paths]


def _unrecorded(course: Course, rubric: Rubric, exercise: ExerciseRubric) -> list[str]:
    """Return a line for every stub that is another by now than the record says, in a course that has a notebook."""
    if rubric.notebook is None:
        return []
    record, now = read_record(course) or {}, stubs_now(course, [exercise])
    return [
        f"exercises/{name} is not what graders/{course.handed_out.name} has; run `grade notebook`"
        for name in files_of(exercise)
        if record.get(name) != now.get(name)
    ]


def _rows(
    answers: Sequence[Submission], judged: Sequence[tuple[Outcome, ...]], wrong: Sequence[WrongAnswer]
) -> list[Row]:
    fails = {answer.name: set(answer.fails) for answer in wrong}
    rows = []
    for answer, outcomes in zip(answers, judged, strict=True):
        verdicts = {outcome.check: outcome.verdict for outcome in outcomes}
        rows.append(Row(answer.label, verdicts, _problem(answer.label, outcomes, fails.get(answer.label))))
    return rows


def _problem(name: str, outcomes: Sequence[Outcome], fails: set[str] | None) -> str:
    """Return what one answer does that it should not, or an empty text."""
    broken = [outcome for outcome in outcomes if outcome.verdict is Verdict.BROKEN]
    if broken:
        return f"breaks the check {broken[0].check}: {broken[0].got}"
    if name == "stub":
        passed = [outcome.check for outcome in outcomes if outcome.verdict is Verdict.PASS]
        return f"passes {', '.join(passed)}, and should pass nothing" if passed else ""
    failed = {outcome.check for outcome in outcomes if outcome.verdict in FAILING}
    if fails is None:
        first = next((outcome for outcome in outcomes if outcome.verdict is not Verdict.PASS), None)
        return f"fails {first.check}: expected {first.expected}; got {first.got}" if first else ""
    if failed == fails:
        return ""
    return f"fails [{', '.join(sorted(failed))}], but wrong.yaml names [{', '.join(sorted(fails))}]"


def _unused_checks(slug: str, checks: Sequence[str], wrong: Sequence[WrongAnswer]) -> list[str]:
    named = {check for answer in wrong for check in answer.fails}
    unknown = [f"{slug}: wrong.yaml names {check}, which is no check" for check in sorted(named - set(checks))]
    return unknown + [
        f"{slug}: no wrong answer fails {check}; add one to wrong.yaml, or drop the check"
        for check in checks
        if check not in named
    ]

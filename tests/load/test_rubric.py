"""The rubric: what is accepted, and that every mistake is named with file, line, key and remedy."""

import datetime
from pathlib import Path

import pytest

from graders.engine.errors import CourseError
from graders.engine.load.rubric import load_rubric, match_checks
from graders.engine.load.yaml_source import read_yaml

GOOD = """\
version: 1
limits:
  seconds: 2.5
  memory_mib: 512
objectives:
  explain: Say why.
exercises:
  ex01_first:
    title: First
    visible: {shape: 1, rows: 2}
    hidden:
      values: 4
  ex02_second:
    title: Second
    visible:
      length: 3
"""


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Writes grading.yaml in the working folder, so that it is shown by that name."""
    monkeypatch.chdir(tmp_path)

    def write(text: str | bytes) -> Path:
        path = Path("grading.yaml")
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    return write


@pytest.fixture
def complaints(write):
    """The lines of the error that a rubric raises."""

    def complaints(text: str | bytes) -> list[str]:
        with pytest.raises(CourseError) as caught:
            load_rubric(write(text))
        return str(caught.value).splitlines()

    return complaints


def edited(old: str, new: str) -> str:
    assert GOOD.count(old) == 1
    return GOOD.replace(old, new)


def test_totals_are_derived(write):
    rubric = load_rubric(write(GOOD))
    first = rubric.exercises["ex01_first"]
    assert (first.visible_points, first.points, rubric.points) == (3, 7, 10)


def test_exercises_keep_the_order_of_the_file(write):
    swapped = GOOD.replace("ex01_first", "ex09_first")
    assert list(load_rubric(write(swapped)).exercises) == ["ex09_first", "ex02_second"]


def test_an_exercise_knows_its_slug_and_may_have_no_hidden_checks(write):
    second = load_rubric(write(GOOD)).exercises["ex02_second"]
    assert (second.slug, second.title, second.hidden) == ("ex02_second", "Second", {})


def test_whole_seconds_are_a_number(write):
    assert load_rubric(write(edited("2.5", "5"))).limits.seconds == 5


def test_a_byte_order_mark_is_no_part_of_the_first_key(write):
    assert load_rubric(write(b"\xef\xbb\xbf" + GOOD.encode())).version == 1


def test_a_rubric_is_frozen(write):
    rubric = load_rubric(write(GOOD))
    with pytest.raises(ValueError, match="frozen"):
        rubric.version = 1


@pytest.mark.parametrize(
    ("old", "new", "line", "key", "nearest"),
    [
        ("version", "versoin", 1, "versoin", "version"),
        ("exercises:", "excercises:", 7, "excercises", "exercises"),
        ("seconds: ", "second: ", 3, "limits.second", "seconds"),
        ("title: Second", "titel: Second", 14, "exercises.ex02_second.titel", "title"),
        ("    hidden:", "    hiden:", 11, "exercises.ex01_first.hiden", "hidden"),
        ("    visible:\n", "    visibel:\n", 15, "exercises.ex02_second.visibel", "visible"),
    ],
)
def test_a_misspelt_key_is_one_complaint_with_the_nearest_key(complaints, old, new, line, key, nearest):
    expected = f'grading.yaml:{line}: {key} is not a key here; did you mean "{nearest}"?'
    assert complaints(edited(old, new)) == [expected]


def test_a_key_like_no_other_is_answered_with_the_keys_there_are(complaints):
    assert complaints(edited("title: Second", "title: Second\n    slug: ex02_second")) == [
        "grading.yaml:15: exercises.ex02_second.slug is not a key here; "
        "expected title, kind, bonus, visible, hidden, hidden_points, person"
    ]


@pytest.mark.parametrize(
    ("points", "shown"),
    [
        ("-2", "-2"),
        ("0", "0"),
        ("1.0", "1.0"),
        ("true", "true"),
        ('"3"', 'the text "3"'),
        ("", "nothing"),
        ("[1]", "a list"),
        ("{a: 1}", "keys with values"),
        ("2024-01-31", "2024-01-31"),
    ],
)
def test_points_are_whole_numbers_from_one(complaints, points, shown):
    expected = "exercises.ex02_second.visible.length must be a whole number of points, 1 or more"
    assert complaints(edited("length: 3", f"length: {points}")) == [f"grading.yaml:16: {expected}; got {shown}"]


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("version: 1", "version: 2", "1: version must be the number 1, the only version there is; got 2"),
        (
            "version: 1",
            "version: yes",
            "1: version must be the number 1, the only version there is; got true",
        ),
        ("version: 1", "version: 1.0", "1: version must be the number 1, the only version there is; got 1.0"),
        ("2.5", "0", "3: limits.seconds must be a number of seconds above 0; got 0"),
        ("2.5", ".inf", "3: limits.seconds must be a number of seconds above 0; got inf"),
        ("2.5", ".nan", "3: limits.seconds must be a number of seconds above 0; got nan"),
        ("2.5", "true", "3: limits.seconds must be a number of seconds above 0; got true"),
        ("512", "0.5", "4: limits.memory_mib must be a whole number of mebibytes, 1 or more; got 0.5"),
        (
            "512",
            "512MB",
            '4: limits.memory_mib must be a whole number of mebibytes, 1 or more; got the text "512MB"',
        ),
        ("Say why.", '""', '6: objectives.explain must be a text that is not empty; got the text ""'),
        ("title: First", "title: 7", "9: exercises.ex01_first.title must be a text that is not empty; got 7"),
        (
            "{shape: 1, rows: 2}",
            "{}",
            "10: exercises.ex01_first.visible must be one check or more, each with its points; got no keys",
        ),
        (
            "\n      values: 4",
            "",
            "11: exercises.ex01_first.hidden must be checks, each with its points; got nothing",
        ),
        (
            "    title: Second\n    visible:\n      length: 3\n",
            "",
            "13: exercises.ex02_second must be keys title, visible and, where needed, hidden; got nothing",
        ),
    ],
)
def test_a_value_of_the_wrong_kind_is_named_with_what_was_expected(complaints, old, new, complaint):
    assert complaints(edited(old, new)) == [f"grading.yaml:{complaint}"]


@pytest.mark.parametrize(
    ("old", "new", "line", "key", "expected"),
    [
        ("  memory_mib: 512\n", "", 2, "limits.memory_mib", "a whole number of mebibytes"),
        ("    title: First\n", "", 8, "exercises.ex01_first.title", "a text"),
        ("    visible: {shape: 1, rows: 2}\n", "", 8, "exercises.ex01_first.visible", "one check or more"),
        ("version: 1\n", "", 1, "version", "the number 1"),
    ],
)
def test_a_missing_key_is_named_where_it_belongs(complaints, old, new, line, key, expected):
    [complaint] = complaints(edited(old, new))
    assert complaint.startswith(f"grading.yaml:{line}: {key} is missing; expected {expected}")


def test_a_rubric_without_exercises_is_refused(complaints):
    assert complaints(GOOD[: GOOD.index("  ex01")].replace("exercises:", "exercises: {}")) == [
        "grading.yaml:7: exercises must be one exercise or more, each under its name; got no keys"
    ]


@pytest.mark.parametrize("slug", ["ex1_first", "ex01_First", "ex01-first", "first", "ex01_", "../ex01_first"])
def test_a_slug_of_another_form_is_refused(complaints, slug):
    [complaint] = complaints(GOOD.replace("ex01_first", slug))
    assert complaint.startswith(f"grading.yaml:8: exercises.{slug} has a name that cannot stand here; expected ex, ")


@pytest.mark.parametrize("name", ["Length", "1length", "le-ngth", "länge"])
def test_a_check_name_that_no_function_can_have_is_refused(complaints, name):
    [complaint] = complaints(edited("length", name))
    assert complaint.startswith(f"grading.yaml:16: exercises.ex02_second.visible.{name} has a name that cannot")
    assert "small letters, digits and underscores" in complaint


def test_a_check_cannot_be_visible_and_hidden(complaints):
    assert complaints(edited("values: 4", "rows: 4")) == [
        "grading.yaml:12: exercises.ex01_first.hidden.rows is the name of a visible check too, in line 10; "
        "rename one of them"
    ]


def test_two_exercises_may_have_checks_of_one_name(write):
    assert load_rubric(write(edited("length", "rows"))).points == 10


def test_all_problems_are_reported_at_once_in_the_order_of_the_file(complaints):
    text = GOOD.replace("512", "none").replace("values: 4", "rows: 0").replace("titel", "title")
    found = complaints(text.replace("title: Second", "titel: Second"))
    assert [line.split(" ")[0] for line in found] == [
        "grading.yaml:4:",
        "grading.yaml:12:",
        "grading.yaml:12:",
        "grading.yaml:14:",
    ]


@pytest.mark.parametrize(
    ("text", "start", "part"),
    [
        ("", "grading.yaml:1: ", "empty"),
        ("# nothing\n", "grading.yaml:1: ", "empty"),
        ("\n- a\n", "grading.yaml:2: ", "got a list"),
        ("word\n", "grading.yaml:1: ", "got a single value"),
        ("a: 1\nb: 2\na: 3\n", "grading.yaml:3: a ", "stands twice, first in line 1"),
        ("a:\n  b: 1\n  b: 2\n", "grading.yaml:3: a.b ", "stands twice, first in line 2"),
        ("a:\n\tb: 1\n", "grading.yaml:2: ", "tab"),
        ("a: 1\nb: [1\nc: 2\n", "grading.yaml:3: ", "not valid YAML"),
        ("a: &x [1]\nb: *x\n", "grading.yaml:1: ", "anchors"),
        ("a: 1\nb: *x\n", "grading.yaml:2: ", "aliases"),
        ("a: 1\nb: !!python/object/apply:os.getcwd []\n", "grading.yaml:2: ", "tags"),
        ("a: " + "[" * 50 + "]" * 50, "grading.yaml:1: ", "nested deeper than 20"),
        ("a: 1\non: 2\n", "grading.yaml:2: on ", "put it in quotes"),
        ("a: 1\n? [b]\n: 2\n", "grading.yaml:2: ", "a key must be a text"),
        ("a: 1\nb: 2024-99-99\n", "grading.yaml:2: b ", "cannot be read"),
        ("a: 1\n---\nb: 2\n", "grading.yaml:2: ", "another document"),
        (b"a: 1\nb: \xff\n", "grading.yaml:2: ", "not UTF-8"),
        ("a: 1\nb: \x07\n", "grading.yaml:2: ", "control character"),
    ],
)
def test_yaml_that_no_course_needs_is_refused_with_its_line(complaints, text, start, part):
    [complaint] = complaints(text)
    assert complaint.startswith(start)
    assert part in complaint


def test_all_double_keys_are_reported_at_once(complaints):
    assert len(complaints("a: 1\na: 2\nb:\n  c: 1\n  c: 2\n")) == 2


def test_aliases_cannot_blow_a_file_up(complaints):
    bomb = "a0: &a0 [x, x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 60))
    [complaint] = complaints(bomb)
    assert "anchors" in complaint


def test_a_rubric_that_is_not_there_is_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CourseError, match=r"^grading\.yaml cannot be read \(No such file.*expected a YAML file"):
        load_rubric(Path("grading.yaml"))


def test_lines_of_list_items_are_known(write):
    source = read_yaml(write("a:\n  - b: 1\n    c: 2\n  - d\n"))
    assert [source.line_of(path) for path in [("a", 0, "c"), ("a", 1), ("a", 0, "missing", "deeper")]] == [
        3,
        4,
        2,
    ]


@pytest.fixture
def match(write):
    """The complaints about the functions found in a file of checks of ex01_first."""

    def match(visibility: str, *found: str, text: str = GOOD) -> list[str]:
        path = write(text)
        first = load_rubric(path).exercises["ex01_first"]
        return match_checks(read_yaml(path), first, visibility, found, f"graders/ex01_first/{visibility}.py")

    return match


def test_checks_that_match_the_rubric_give_no_complaint(match):
    assert match("visible", "check_rows", "check_shape") == []


def test_points_for_a_check_that_is_not_there(match):
    assert match("hidden") == [
        "grading.yaml:12: exercises.ex01_first.hidden.values has points "
        "but graders/ex01_first/hidden.py has no check_values"
    ]


def test_a_check_without_points(match):
    assert match("visible", "check_rows", "check_shape", "check_dropout") == [
        "grading.yaml:10: exercises.ex01_first.visible gives no points to check_dropout "
        'of graders/ex01_first/visible.py; add "dropout: 1" or other points'
    ]


def test_a_misspelt_check_is_answered_with_the_nearest_without_points(match):
    missing, unpaid = match("visible", "check_rows", "check_shaep")
    assert missing.endswith('has no check_shape; did you mean "check_shaep"?')
    assert "gives no points to check_shaep" in unpaid


def test_a_check_that_has_points_is_not_offered_for_another(match):
    [missing] = match("visible", "check_rows", text=edited("shape:", "row:"))
    assert missing.endswith("has no check_row")


# ------------------------------------------------------------ what a person grades, bonus, sheets, the notebook

PERSON = """\
    person:
      essay:
        title: An essay
        objective: explain
        points: 3
        file: ex02_essay.md
        criteria: [one point for each reason]
"""
WIDER = (
    GOOD.replace("version: 1", "version: 1\nnotebook: lesson.ipynb\nbonus_beyond_maximum: true").replace(
        "title: Second", "title: Second\n    kind: answers\n    bonus: true"
    )
    + PERSON
)


def test_the_keys_that_an_exercise_may_have_besides(write):
    rubric = load_rubric(write(WIDER))
    first, second = rubric.exercises.values()
    assert (rubric.notebook, rubric.bonus_beyond_maximum) == ("lesson.ipynb", True)
    assert (first.file, first.bonus, second.file, second.bonus) == ("ex01_first.py", False, "ex02_second.yaml", True)
    assert (second.points, second.person["essay"].points, rubric.points) == (6, 3, 7)  # no bonus in the maximum


def test_what_need_not_be_written_down(write):
    rubric = load_rubric(write(GOOD))
    assert (rubric.notebook, rubric.bonus_beyond_maximum) == (None, False)
    assert all(exercise.kind == "code" and not exercise.person for exercise in rubric.exercises.values())


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("lesson.ipynb", "../lesson.ipynb", ":2: notebook must be the name of a notebook, such as lesson.ipynb; got"),
        ("lesson.ipynb", "lesson.py", ":2: notebook must be the name of a notebook"),
        ("beyond_maximum: true", "beyond_maximum: 1", ":3: bonus_beyond_maximum must be true or false; got 1"),
        ("kind: answers", "kind: words", "kind must be code or answers; got the text"),
        ("bonus: true", "bonus: 5", ".bonus must be true or false; got 5"),
        ("points: 3", "points: 0", "person.essay.points must be a whole number of points, 1 or more; got 0"),
        ("essay.md", "essay.py", "person.essay.file must be the name of a text that students write"),
        ("essay.md", "essay.txt", "person.essay.file must be the name of a text that students write"),
        ("ex02_essay", "../essay", "person.essay.file must be the name of a text that students write"),
        ("[one point for each reason]", "[]", "person.essay.criteria must be a list of sentences"),
        ("objective: explain", "objective: shine", "person.essay.objective must be one of explain; got shine"),
        ("        title: An essay\n", "", "person.essay.title is missing"),
        ("file: ex02", "files: ex02", 'person.essay.files is not a key here; did you mean "file"?'),
        ("essay:", "length:", "person.length is the name of a visible check too, in line"),
    ],
)
def test_mistakes_in_them(complaints, old, new, complaint):
    assert WIDER.count(old) == 1
    assert any(complaint in line for line in complaints(WIDER.replace(old, new)))


# ------------------------------------------------------------ what handing in late costs

LATE = """\
late:
  deadline: 2026-12-18T23:59:00+01:00
  grace_minutes: 15
  percent_per_day: 10
  at_most_percent: 50
  counts: last
"""


def test_without_a_late_policy_there_is_none(write):
    assert load_rubric(write(GOOD)).late is None


def test_a_late_policy(write):
    late = load_rubric(write(GOOD + LATE)).late
    assert late.deadline == datetime.datetime(2026, 12, 18, 22, 59, tzinfo=datetime.UTC)
    assert (late.grace_minutes, late.percent_per_day, late.at_most_percent, late.counts) == (15, 10, 50, "last")


def test_a_late_policy_of_two_keys(write):
    late = load_rubric(write(GOOD + "late: {deadline: '2026-12-18 23:59Z', percent_per_day: 100}\n")).late
    assert (late.deadline.hour, late.grace_minutes, late.at_most_percent, late.counts) == (23, 0, 100, "best")


A_MOMENT = "late.deadline must be a moment with its zone, such as 2026-12-18T23:59:00+01:00; got "


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("23:59:00+01:00", "23:59:00", f"18: {A_MOMENT}2026-12-18 23:59:00"),
        ("T23:59:00+01:00", "", f"18: {A_MOMENT}2026-12-18"),
        ("2026-12-18T23:59:00+01:00", "'Friday'", f'18: {A_MOMENT}the text "Friday"'),
        ("2026-12-18T23:59:00+01:00", "'2026-12-18T23:59'", f"18: {A_MOMENT}2026-12-18 23:59:00"),
        ("2026-12-18T23:59:00+01:00", "1797634740", f"18: {A_MOMENT}1797634740"),
        ("2026", "0001", f"18: {A_MOMENT}0001-12-18 23:59:00+01:00"),
        ("2026-12-18T23:59:00+01:00", "", f"18: {A_MOMENT}nothing"),
        ("grace_minutes: 15", "grace_minutes: -1", "19: late.grace_minutes must be a whole number of minutes, 0 to 10080; got -1"),  # noqa: E501
        ("grace_minutes: 15", "grace_minutes: 1.5", "19: late.grace_minutes must be a whole number of minutes, 0 to 10080; got 1.5"),  # noqa: E501
        ("per_day: 10", "per_day: 0", "20: late.percent_per_day must be a whole number of percent, 1 to 100; got 0"),
        ("per_day: 10", "per_day: 10 %", '20: late.percent_per_day must be a whole number of percent, 1 to 100; got the text "10 %"'),  # noqa: E501
        ("at_most_percent: 50", "at_most_percent: 101", "21: late.at_most_percent must be a whole number of percent, 1 to 100; got 101"),  # noqa: E501
        ("counts: last", "counts: first", '22: late.counts must be best or last; got the text "first"'),
        ("counts: last", "count: last", '22: late.count is not a key here; did you mean "counts"?'),
        ("  percent_per_day: 10\n", "", "17: late.percent_per_day is missing; expected a whole number of percent, 1 to 100"),  # noqa: E501
    ],
)  # fmt: skip
def test_a_mistake_in_a_late_policy_is_named(complaints, old, new, complaint):
    assert LATE.count(old) == 1
    assert complaints(GOOD + LATE.replace(old, new)) == [f"grading.yaml:{complaint}"]


def test_a_late_policy_without_keys_is_named(complaints):
    assert complaints(GOOD + "late: yes\n") == [
        "grading.yaml:17: late must be keys deadline, percent_per_day and, where needed, grace_minutes, "
        "at_most_percent and counts; got true"
    ]

"""The lesson is true: its code prints what it says, its tables are recomputed, its links lead somewhere.

The rule for numbers in its words: a code span such as `2 * 3 = 6` is recomputed (one with a bare name on the left, such
as `d_model = 2`, sets the scene and claims nothing), and a number with a decimal point stands nowhere else but in a
table or a block, all of which are recomputed, or in the words around a figure, which has to show it.
"""

import ast
import contextlib
import io
import math
import re
import shlex
import tokenize
from datetime import date
from itertools import pairwise
from pathlib import Path

import pytest
import torch
import typer

from graders.engine.author.lesson import Kind, Piece, anchor, read_lesson
from graders.engine.cli.app import app
from graders.engine.load.course import find_course
from graders.engine.load.rubric import load_rubric

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "exercises"
LESSON = FOLDER / "README.md"
TEXT = LESSON.read_text(encoding="utf-8")
SECTIONS = read_lesson(LESSON)
RUBRIC = load_rubric(find_course(ROOT).rubric)
MARK = "# -> "
FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


# ------------------------------------------------------------ code


def expected_lines(code, first, last):
    """What the comments on these lines, the first included, say is printed."""
    comments = [
        token for token in tokenize.generate_tokens(io.StringIO(code).readline) if token.type == tokenize.COMMENT
    ]
    return [
        token.string.removeprefix(MARK)
        for token in comments
        if token.string.startswith(MARK) and first <= token.start[0] < last
    ]


def run_lesson():
    """Run every Python block in one namespace; return it with what each statement was to print, and what it printed."""
    namespace = {"__name__": "lesson"}
    compared = []
    for code in [piece.text for section in SECTIONS for piece in section.pieces if piece.kind is Kind.CODE]:
        body = ast.parse(code).body
        ends = [*(statement.lineno for statement in body[1:]), len(code.splitlines()) + 1]
        for statement, end in zip(body, ends, strict=True):
            page = io.StringIO()
            with contextlib.redirect_stdout(page):
                exec(compile(ast.Module([statement], []), "lesson", "exec"), namespace)
            source = ast.get_source_segment(code, statement)
            compared.append((source, expected_lines(code, statement.lineno, end), page.getvalue().splitlines()))
    return namespace, compared


@pytest.fixture(scope="module")
def lesson():
    return run_lesson()


def test_code_prints_what_the_comments_say(lesson):
    _, compared = lesson
    differing = [(source, expected, got) for source, expected, got in compared if expected != got]
    assert differing == []
    assert sum(bool(expected) for _, expected, _ in compared) >= 6, "the comments were not found"
    assert TEXT.count(MARK) == sum(len(expected) for _, expected, _ in compared), "a comment belongs to no statement"


def test_the_exercises_are_left_to_the_reader():
    code = "\n".join(piece.text for section in SECTIONS for piece in section.pieces if piece.kind is Kind.CODE)
    assert "class " not in code
    for slug in RUBRIC.exercises:
        stub = FOLDER / f"{slug}.py"
        if stub.is_file():
            names = [node.name for node in ast.parse(stub.read_bytes()).body if hasattr(node, "name")]
            assert [name for name in names if name in code] == []


# ------------------------------------------------------------ numbers in words and tables


def tables():
    """Every table of the lesson, by its header: rows of cells."""
    found = {}
    for block in re.findall(r"(?:^\|.*\|\n)+", FENCED.sub("", TEXT), re.MULTILINE):
        header, line, *rows = [
            [cell.strip() for cell in row.strip().strip("|").split("|")] for row in block.splitlines()
        ]
        assert all(re.fullmatch("-+", cell) for cell in line)
        found[tuple(header)] = rows
    return found


TABLES = tables()
EXERCISES = ("Exercise", "You build", "Points", "Minutes")
CONTRAST = ("", "Sinusoidal encoding (10.1)", "Learned embedding (10.2)")
WAVES = ("p", "sin(p)", "cos(p)", "sin(p / 100)", "cos(p / 100)")
SUMS = ("place", "token id", "token row", "position row", "sum")
STRETCHED = ("new row", "old place", "value")
BIASES = ("i \\ j", "0", "1", "2")


def agree(shown, value):
    """Whether a number as shown is the value, rounded to the decimals shown."""
    return float(shown) == round(value, len(shown.partition(".")[2]))


def test_no_table_escapes():
    assert set(TABLES) == {EXERCISES, CONTRAST, WAVES, SUMS, STRETCHED, BIASES}


def test_the_contrast_speaks_of_kinds_and_not_of_figures():
    assert not re.search(r"\d", re.sub(r"\(2017\)|GPT-2", "", str(TABLES[CONTRAST])))


def test_the_waves():
    assert [row[0] for row in TABLES[WAVES]] == ["0", "1", "2"]
    for row in TABLES[WAVES]:
        for formula, shown in zip(WAVES, row, strict=True):
            assert agree(shown, eval(formula, {"p": int(row[0]), "sin": math.sin, "cos": math.cos})), (formula, row)


def test_the_waves_are_those_of_the_encoding_that_the_course_asks_for():
    columns = torch.tensor([[float(cell) for cell in row[1:]] for row in TABLES[WAVES]])
    speeds = torch.tensor([10000.0**-0.0, 10000.0**-0.5])
    angles = torch.arange(3.0)[:, None] * speeds
    wanted = torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)
    assert (columns - wanted).abs().max() < 1e-5


def test_the_sums(lesson):
    namespace, _ = lesson
    rows = [[ast.literal_eval(cell) for cell in row] for row in TABLES[SUMS]]
    assert [row[1] for row in rows] == namespace["ids"].flatten().tolist()
    for place, token, token_row, position_row, total in rows:
        assert token_row == namespace["tok"][token].tolist()
        assert position_row == namespace["pos"][place].tolist()
        assert total == [a + b for a, b in zip(token_row, position_row, strict=True)]


def test_the_stretched_table():
    (words,) = re.findall(r"The old rows held ([\d, and]+)\.", TEXT)
    old = [int(number) for number in re.findall(r"\d+", words)]
    rows = TABLES[STRETCHED]
    for number, (new_row, place, value) in enumerate(rows):
        exact = number * (len(old) - 1) / (len(rows) - 1)
        low = min(int(exact), len(old) - 2)
        assert int(new_row) == number
        assert agree(place, exact)
        assert agree(value, old[low] + (exact - low) * (old[low + 1] - old[low]))
    assert (
        f"{'Three' if len(old) == 3 else len(old)} rows stretched to {'five' if len(rows) == 5 else len(rows)}" in TEXT
    )


def test_the_biases():
    assert "slope 1/2" in TEXT
    for i, *cells in TABLES[BIASES]:
        for j, shown in zip(BIASES[1:], cells, strict=True):
            assert agree(shown, -0.5 * abs(int(i) - int(j)))


def spans():
    """Every code span of the lesson's words, on one line."""
    return [" ".join(span.split()) for span in re.findall(r"`([^`]+)`", FENCED.sub("", TEXT))]


CLAIM = re.compile(r"(.+) = (-?\d+(?:\.\d+)?)")


def test_every_claim_in_a_code_span_is_true():
    claims = [claim for claim in map(CLAIM.fullmatch, spans()) if claim and not claim[1].isidentifier()]
    assert len(claims) >= 5
    names = {"sin": math.sin, "cos": math.cos}
    assert [claim[0] for claim in claims if not agree(claim[2], eval(claim[1], {"__builtins__": {}}, names))] == []


def test_no_other_number_has_a_decimal_point():
    words = re.sub(r"`[^`]+`|^\|.*\|$", "", FENCED.sub("", TEXT), flags=re.MULTILINE)
    for said in about_the_figure():
        words = words.replace(said, "")
    assert re.findall(r"\d+\.\d+", words.replace("Module 10.1", "")) == []


def about_the_figure():
    """What is said for those who do not see it, and the words below it."""
    alternative = re.findall(r"!\[(.+)\]\(order_matters\.svg\)", TEXT)
    return alternative + re.findall(r"^(The figure is .+?)\n\n", TEXT, re.MULTILINE | re.DOTALL)


def test_what_is_said_of_the_figure_is_what_it_shows():
    shown = (FOLDER / "order_matters.svg").read_text(encoding="utf-8")
    positions, without = [
        {int(step): float(median) for step, median in re.findall(r"(\d+): (\d\.\d+)", part)}
        for part in re.search(r"with positions, by step: (.*)without positions, by step: (.*)</desc>", shown).groups()
    ]
    (trainings,) = re.findall(r"the median of (\d+) trainings", shown)
    assert len(about_the_figure()) == 2
    for said in about_the_figure():
        (of,) = re.findall(r"median of (\d+) trainings", said)
        reached, after, stays = re.search(
            r"(1\.\d+) (?:after|within) (\d+) steps; without .*? stays at (0\.\d+)", said
        ).groups()
        assert of == trainings
        assert next(step for step, median in positions.items() if median >= float(reached)) == int(after)
        assert {median for step, median in positions.items() if step >= int(after)} == {float(reached)}
        assert set(without.values()) == {float(stays)}
    assert f"over {max(positions)} training steps" in about_the_figure()[0]


def test_the_drawing_of_patches():
    size, patch, tokens = (
        re.search(pattern, TEXT)
        for pattern in (
            r"image \(3, (\d+), (\d+)\), patches",
            r"patches of (\d+) by \1 +tokens",
            r"tokens \((\d+), d_model\)",
        )
    )
    patches = (int(size[1]) // int(patch[1])) * (int(size[2]) // int(patch[1]))
    assert int(tokens[1]) == patches + 1
    assert re.search(r"row 0 +" + " +".join(str(number) for number in range(1, patches + 1)), TEXT)


# ------------------------------------------------------------ what it says of the course


def test_the_table_of_exercises_is_the_rubrics():
    rows = {}
    for exercise, words, points, minutes in TABLES[EXERCISES]:
        name, file = re.fullmatch(r"\[(\w+)\]\((\S+)\)", exercise).groups()
        rows[file] = int(points)
        assert file.startswith(f"{name}_")
        assert words
        assert 5 <= int(minutes) <= 120
    assert rows == {exercise.file: exercise.points for exercise in RUBRIC.exercises.values()}
    assert list(rows) == [exercise.file for exercise in RUBRIC.exercises.values()]
    for row, exercise in zip(TABLES[EXERCISES], RUBRIC.exercises.values(), strict=True):
        assert row[1].startswith("bonus") == exercise.bonus


def test_what_it_says_of_the_bonus_is_what_the_rubric_does():
    assert ("the bonus makes up for points lost elsewhere" in TEXT) == (not RUBRIC.bonus_beyond_maximum)
    (sentence,) = re.findall(r"Exercises ([\d to,and]+) make up the full marks", TEXT)
    assert sentence == "1 to 5 and 7"
    assert [int(slug[2:4]) for slug, exercise in RUBRIC.exercises.items() if not exercise.bonus] == [1, 2, 3, 4, 5, 7]


def test_it_names_every_objective_once():
    assert re.findall(r"^(\d)\. .+[,.]$", SECTIONS[0].pieces[0].text, re.MULTILINE) == list("123456")
    assert len(RUBRIC.objectives) == 6


def test_every_exercise_is_taught_before_it_is_asked_for():
    """In the notebook an exercise follows the last section that links to it."""
    last = {link: place for place, section in enumerate(SECTIONS) for link in section.links}
    places = [last[exercise.file] for exercise in RUBRIC.exercises.values()]
    assert places == sorted(set(places)), "the lesson should come to the exercises in their order, one a section"
    assert places[0] > 0


# ------------------------------------------------------------ links and commands


def headings(path):
    text = FENCED.sub("", path.read_text(encoding="utf-8"))
    return {anchor(title) for title in re.findall(r"^#+ (.+)$", text, re.MULTILINE)}


@pytest.mark.parametrize("page", ["README.md", "CHANGELOG.md"])
def test_every_link_leads_somewhere(page):
    text = FENCED.sub("", (FOLDER / page).read_text(encoding="utf-8"))
    links = re.findall(r"\]\(([^)]+)\)", text)
    assert links
    for link in links:
        file, _, fragment = link.partition("#")
        target = (FOLDER / file).resolve() if file else FOLDER / page
        assert "://" not in link, f"{link}: a page elsewhere may go; say its name instead"
        assert target.is_relative_to(ROOT), link
        assert target.is_file(), link
        assert not fragment or fragment in headings(target), link


def commands(language):
    return [shlex.split(line, posix=language == "bash") for kind, block in FENCED.findall(TEXT) if kind == language
            for line in block.splitlines()]  # fmt: skip


def test_every_block_is_of_a_kind_that_is_checked_here():
    assert {kind for kind, _ in FENCED.findall(TEXT)} <= {"python", "text", "bash", "powershell"}


def test_every_command_exists():
    makefile = "".join((ROOT / name).read_text(encoding="utf-8") for name in ("Makefile", "graders/handout/Makefile"))
    known = typer.main.get_command(app).commands
    lines = commands("bash") + commands("powershell")
    assert len(lines) >= 4
    for program, *words in lines:
        if program == "make":
            assert re.search(rf"^{words[0]}:", makefile, re.MULTILINE)
            for option in words[1:]:
                assert re.fullmatch(r"ARGS=-e ex\d\d", option)
        elif words[:2] == ["-m", "graders"]:
            assert words[2] in known
        else:
            assert program.startswith(".venv/bin/")
            assert words[:3] == ["-m", "pip", "install"] or words == ["lab", FOLDER.name]
    assert {words[0] for program, *words in lines if program == "make"} == {"grade"}


def test_it_only_names_exercises_that_exist():
    known = {slug.partition("_")[0] for slug in RUBRIC.exercises}
    assert set(re.findall(r"\bex\d\d\b", TEXT)) <= known
    assert {f"ex{int(number):02}" for number in re.findall(r"[Ee]xercise (\d)\b", TEXT)} <= known


# ------------------------------------------------------------ how a lesson is read


def test_a_lesson_is_read_in_pieces(tmp_path):
    lesson = tmp_path / "lesson.md"
    lesson.write_text(
        "# Top\n\nWords, [a file](a.py) and [a place](#here).\n\n## It's a second, or `third`\n\n"
        "```bash\n# no heading\nmake grade\n```\n\n```python\nx = 1\n\n\ny = 2\n```\n\n"
        "![What it shows](f.svg)\n\nEnd.\n"
    )
    top, second = read_lesson(lesson)
    assert (top.title, top.links, top.name) == ("Top", ("a.py",), "top")
    assert second.name == "its-a-second-or-third"
    assert [piece.kind.value for piece in second.pieces] == ["words", "code", "words", "figure", "words"]
    assert second.pieces[0].text.endswith("```bash\n# no heading\nmake grade\n```")
    assert second.pieces[1] == Piece(Kind.CODE, "x = 1\n\n\ny = 2")
    assert second.pieces[2:] == (
        Piece(Kind.WORDS, "*What it shows*"),
        Piece(Kind.FIGURE, "f.svg"),
        Piece(Kind.WORDS, "End."),
    )


# ------------------------------------------------------------ the change log


def test_the_change_log_begins_with_the_newest():
    text = (FOLDER / "CHANGELOG.md").read_text(encoding="utf-8")
    days = [date.fromisoformat(day) for day in re.findall(r"^## (\d{4}-\d\d-\d\d): \S", text, re.MULTILINE)]
    assert len(days) == text.count("\n## ")
    assert all(later >= earlier for later, earlier in pairwise(days))

"""The README shows what the commands really print."""

import io
import re
import tomllib
from pathlib import Path

from rich.console import Console

from graders.engine.author.answers import wrong_answers
from graders.engine.judge.session import Options, judge
from graders.engine.load.assignment import assignments
from graders.engine.load.course import find_course
from graders.engine.load.reading import load_submission
from graders.engine.load.rubric import load_rubric
from graders.engine.report.terminal import print_card
from graders.engine.run.supply import WorkerSupply
from graders.engine.score.scoring import score
from tests.made_by import PRACTICE

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_example_is_what_a_student_with_this_mistake_sees(tmp_path: Path, supply: WorkerSupply) -> None:
    course = find_course(None)
    rubric = load_rubric(course.rubric)
    answers, _ = wrong_answers(course, "ex02_token_pos")
    (answer,) = (answer for answer in answers if answer.name == "reversed_positions")
    folder = tmp_path / "exercises"
    folder.mkdir()
    (folder / "ex02_token_pos.py").write_text(answer.source, encoding="utf-8")
    submission = load_submission(folder, assignments(course, rubric, ["ex02_token_pos"]))
    (outcomes,) = judge(course, rubric, [submission], supply, Options(seed=0, hidden=False))
    page = io.StringIO()
    console = Console(file=page, width=100, markup=False, emoji=False, highlight=False)
    print_card(score(rubric, submission.files, outcomes, PRACTICE), console)
    (example,) = re.findall(r"```text\n(.*?)```", README, flags=re.DOTALL)
    assert example in page.getvalue()


def test_every_command_it_names_exists() -> None:
    makefile = "".join((ROOT / name).read_text(encoding="utf-8") for name in ("Makefile", "graders/handout/Makefile"))
    for target in re.findall(r"`make (\w+)", README):
        assert re.search(rf"^{target}:", makefile, flags=re.MULTILINE), f"make {target}"
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["scripts"]
    for program in re.findall(r"`\.venv/bin/(\w+)", README):
        assert program in scripts


def test_every_file_it_links_to_exists() -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        assert (ROOT / target).exists(), target


def test_every_test_that_the_page_on_security_names_exists() -> None:
    page = (ROOT / ".github" / "SECURITY.md").read_text(encoding="utf-8")
    named = re.findall(r"`(tests/[\w./]+)`", page)
    assert len(named) > 10
    for place in named:
        assert (ROOT / place).exists(), place

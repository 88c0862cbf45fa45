"""Five students and what each of them pushes: four kinds of honest and dishonest work, and none at all."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from graders.engine.load.rubric import load_rubric
from tests.command_line import ROOT

NOTEBOOK = "positional_embedding.ipynb"
HOSTILE = Path(__file__).with_name("hostile.py")
FORGED = "Points 120/100"


@dataclass(frozen=True)
class Student:
    """A student: the name on GitHub, what is said of the work, where practice is run, and how it comes about."""

    login: str
    story: str
    practice: str
    branch: str
    title: str
    message: str
    work: Callable[[Path], None]


def five_students(scratch: Path) -> list[Student]:
    """Return the students; `scratch` is where the one who attacks looks for secrets, and leaves traces."""
    return [
        Student("ada", "has solved everything, in files", "push", "main", "My solutions", "Solve it", solve),
        Student("ben", "has two exercises right, in the notebook", "pull_request", "main", "wip", "Two", fill_notebook),
        Student("cleo", "has changed nothing yet", "push", "main", "Start", "Start", leave),
        _attacker(scratch),
        Student("trudy", "has edited the workflow and the checks", "push", "main", "Done", "Done", edit_the_grader),
    ]


def _attacker(scratch: Path) -> Student:
    """A student whose branch, title and message are commands for whoever pastes them into a script."""
    branch = "x" + "".join(commands("touch${IFS}" + str(canary(scratch, "branch")))) + "${{github.token}}"
    title = (
        "".join(commands(f"touch {canary(scratch, 'title')}")) + "${{ secrets.GRADING_KEY }} "
        "%0A::set-output name=found::true \u2028::error::100/100 \u202e</details> @everyone"
    )
    message = (
        "".join(commands(f"touch {canary(scratch, 'message')}"))
        + "\n\nfound=true\n::set-output name=sha::0\n::add-mask::0\n"
    )

    def attack(checkout: Path) -> None:
        text = HOSTILE.read_text(encoding="utf-8").replace("@SCRATCH@", str(scratch))
        (checkout / "exercises" / "ex02_token_pos.py").write_text(text, encoding="utf-8")

    return Student("mallory", "attacks", "pull_request", branch, title, message, attack)


def commands(command: str) -> list[str]:
    """Return a command as a shell runs it: in single quotes that are closed before, in double ones, and in either."""
    return [f"';{command};'", f"$({command})", f"`{command}`"]


def canary(scratch: Path, what: str) -> Path:
    """The file that is there as soon as a text of the attacker's has been run as a command."""
    return scratch / f"executed-{what}"


def solve(checkout: Path) -> None:
    """Hand in every reference, as a student would who has found it."""
    for path in sorted((ROOT / "reference").iterdir()):
        if path.is_file():
            (checkout / "exercises" / path.name).write_bytes(path.read_bytes())


def fill_notebook(checkout: Path) -> None:
    """Fill in the cells of the first two exercises, and no file."""
    path = checkout / "exercises" / NOTEBOOK
    notebook = json.loads(path.read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        for slug in cell["metadata"].get("tags", []):
            if slug.startswith(("ex01", "ex02")):
                source = (ROOT / "reference" / f"{slug}.py").read_text(encoding="utf-8")
                cell["source"] = source.splitlines(keepends=True)
    path.write_text(json.dumps(notebook, indent=1), encoding="utf-8")


def leave(checkout: Path) -> None:
    """Change nothing that is graded."""
    (checkout / "notes.txt").write_text("Read the lecture first.\n", encoding="utf-8")


def remove(checkout: Path) -> None:
    """Remove all that could be graded."""
    for path in (checkout / "exercises").iterdir():
        path.unlink()


def edit_the_grader(checkout: Path) -> None:
    """Make every visible check pass, make the workflow say so too, and touch the stubs so that they count as work."""
    rubric = load_rubric(checkout / "grading.yaml")
    for slug, exercise in rubric.exercises.items():
        stub = checkout / "exercises" / exercise.file
        stub.write_text(stub.read_text(encoding="utf-8") + "# done\n", encoding="utf-8")
        for item in exercise.person.values():
            (checkout / "exercises" / item.file).write_text("All of it is done, and done well.\n", encoding="utf-8")
        fixture = "answers" if exercise.kind == "answers" else "student"
        path = checkout / "graders" / slug / "visible.py"
        objective = re.search(r'@objective\("(\w+)"\)', path.read_text(encoding="utf-8"))
        assert objective
        checks = [
            f'@objective("{objective[1]}")\ndef check_{name}({fixture}):\n    """all is well"""\n'
            for name in exercise.visible
        ]
        text = "from graders.engine.judge.vocabulary import objective\n\n\n" + "\n\n".join(checks)
        path.write_text(text, encoding="utf-8")
    workflow = checkout / ".github" / "workflows" / "feedback.yml"
    text = workflow.read_text(encoding="utf-8")
    show = "          python -m graders export card.json --to annotations\n"
    assert show in text
    forged = show + f"          echo '::notice title=Autograding complete::{FORGED}'\n"
    workflow.write_text(text.replace(show, forged), encoding="utf-8")

"""Where the parts of a course lie, given its root."""

from dataclasses import dataclass
from pathlib import Path

from graders.engine.errors import CourseError, shown_path

RUBRIC, EXERCISES, HANDED_OUT = "grading.yaml", "exercises", "graders/handed_out.json"
SUFFIXES = (".py", ".yaml")
"""Of code, and of a sheet of answers."""


@dataclass(frozen=True, slots=True)
class Course:
    """The places of a course. That they are named here does not mean that they exist."""

    root: Path

    @property
    def rubric(self) -> Path:
        return self.root / RUBRIC

    @property
    def exercises(self) -> Path:
        return self.root / EXERCISES

    @property
    def references(self) -> Path:
        return self.root / "reference"

    @property
    def handed_out(self) -> Path:
        """The record of the stubs, for comparison: in ``exercises/`` students may have written by now."""
        return self.root / HANDED_OUT

    def stub(self, slug: str) -> Path:
        """The file that students fill in."""
        return _code_or_sheet(self.exercises, slug)

    def reference(self, slug: str) -> Path:
        """The answer we wish students wrote."""
        return _code_or_sheet(self.references, slug)

    def checks(self, slug: str, visibility: str) -> Path:
        """The checks that students see (``visible``), or those that they do not (``hidden``)."""
        return self.root / "graders" / slug / f"{visibility}.py"

    def given(self, slug: str) -> Path:
        """The course's own public code that checks hand to the student's functions, where there is any."""
        return self.root / "graders" / slug / "given.py"

    def wrong(self, slug: str) -> Path:
        """The table of wrong answers."""
        return self.root / "graders" / slug / "wrong.yaml"

    def right(self, slug: str) -> tuple[Path, ...]:
        """The other right answers that are there, by name."""
        folder = self.root / "graders" / slug / "right"
        return tuple(sorted(path for path in folder.glob("*") if path.suffix in SUFFIXES))


def _code_or_sheet(folder: Path, slug: str) -> Path:
    """The sheet of answers of that name if there is one, or else the Python file, which need not be there."""
    code, sheet = (folder / f"{slug}{suffix}" for suffix in SUFFIXES)
    return sheet if sheet.is_file() else code


def find_course(explicit: Path | None) -> Course:
    """The course in that folder, or, without one, in the repository that this file belongs to.

    Raises CourseError if there is no rubric in it.
    """
    root = Path(__file__).resolve().parents[3] if explicit is None else explicit
    if (root / RUBRIC).is_file():
        return Course(root)
    came = "there is none in it" if root.is_dir() else "that is not a folder"
    raise CourseError(f"no course in {shown_path(root)}: expected a folder with {RUBRIC}, but {came}")

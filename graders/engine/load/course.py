"""Where the parts of a course lie, given its root."""

from dataclasses import dataclass
from pathlib import Path

from graders.engine.errors import CourseError, shown_path

RUBRIC = "grading.yaml"


@dataclass(frozen=True, slots=True)
class Course:
    """The places of a course. That they are named here does not mean that they exist."""

    root: Path

    @property
    def rubric(self) -> Path:
        return self.root / RUBRIC

    @property
    def exercises(self) -> Path:
        return self.root / "exercises"

    @property
    def references(self) -> Path:
        return self.root / "reference"

    def stub(self, slug: str) -> Path:
        """The file that students fill in."""
        return self.exercises / f"{slug}.py"

    def reference(self, slug: str) -> Path:
        """The answer we wish students wrote."""
        return self.references / f"{slug}.py"

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
        return tuple(sorted((self.root / "graders" / slug / "right").glob("*.py")))


def find_course(explicit: Path | None) -> Course:
    """The course in that folder, or, without one, in the repository that this file belongs to.

    Raises CourseError if there is no rubric in it.
    """
    root = Path(__file__).resolve().parents[3] if explicit is None else explicit
    if (root / RUBRIC).is_file():
        return Course(root)
    came = "there is none in it" if root.is_dir() else "that is not a folder"
    raise CourseError(f"no course in {shown_path(root)}: expected a folder with {RUBRIC}, but {came}")

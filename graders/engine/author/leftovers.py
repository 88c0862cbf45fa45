"""TODOs that an author has left: those of a scaffold, not the numbered ones that a stub has for students."""

import re

from graders.engine.load.course import Course
from graders.engine.load.rubric import Rubric

ANY_TODO = re.compile(r"\bTODO\b")
UNNUMBERED_TODO = re.compile(r"\bTODO\b(?! \d)")


def leftovers(course: Course, rubric: Rubric, slug: str) -> list[str]:
    """Return a line for every file of an exercise, and its title, in which something is still to be written."""
    files = {course.stub(slug): UNNUMBERED_TODO, course.reference(slug): ANY_TODO, course.wrong(slug): ANY_TODO}
    files |= {course.checks(slug, kind): ANY_TODO for kind in ("visible", "hidden")}
    found = []
    for path, pattern in files.items():
        if not path.is_file():
            continue
        lines = path.read_bytes().decode("utf-8", "replace").splitlines()
        numbers = [str(number) for number, line in enumerate(lines, start=1) if pattern.search(line)]
        if numbers:
            where = path.relative_to(course.root).as_posix()
            lines_named = f"line {numbers[0]}" if len(numbers) == 1 else f"lines {', '.join(numbers)}"
            found.append(f"{where} still has a TODO in {lines_named}; write what belongs there")
    if ANY_TODO.search(rubric.exercises[slug].title):
        found.append(f"grading.yaml: the title of {slug} is still to be written")
    return found

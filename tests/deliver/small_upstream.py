"""A small staff repository in a folder: one exercise, an engine of two files, and what must never leave it."""

import json
from pathlib import Path

from tests.command_line import ALL_PASSED, NOTHING_GRADED, CommandLine, Ended

SLUG = "ex91_doubling"
STUB = '''\
"""Double what comes in."""


def double(x):
    """Twice x."""
    raise NotImplementedError("TODO 1: double x")
'''
VISIBLE = """\
from graders.ex91_doubling.sizes import SIZE


def check_shape(student):
    pass
"""
HIDDEN = """\
from graders.ex91_doubling import rule, visible


def check_values_of_floats():
    pass
"""
FILES = {
    "grading.yaml": """\
version: 1 # of this format
limits: {seconds: 5, memory_mib: 512}
objectives:
  implement: Implement things
exercises:
  ex91_doubling:
    title: Doubling
    visible:
      shape: 1
    hidden: # what nobody sees
      values_of_floats: 2
      # and of whole numbers
      values_of_integers: 3
""",
    "pyproject.toml": '[tool.setuptools.package-data]\n"graders.engine.judge" = ["*.ini"]\n',
    "constraints.txt": "torch==2.13.0\n",
    "LICENSE": "Do what you like.\n",
    "README.md": "For the staff alone.\n",
    ".github/workflows/class.yml": "name: class\n",
    ".github/workflows/feedback.yml": "name: feedback\n",
    ".github/workflows/grade.yml": "name: grade\n",
    ".github/workflows/ci.yml": "name: the staff's own\n",
    "exercises/ex91_doubling.py": STUB,
    "exercises/README.md": "# Doubling\n\n![Twice](twice.svg)\n",
    "exercises/CHANGELOG.md": "# News\n",
    "exercises/twice.svg": "<svg/>\n",
    "exercises/draft.svg": "<svg><!-- nobody links to it --></svg>\n",
    "exercises/notes.txt": "what lies about\n",
    "reference/ex91_doubling.py": "def double(x):\n    return 2 * x  # the reference\n",
    "graders/__init__.py": '__version__ = "0.0"\n',
    "graders/__main__.py": "",
    "graders/README.md": "How to add hidden checks.\n",
    "graders/card.schema.json": "{}\n",
    "graders/handout/README.md": "# For students\n",
    "graders/handout/Makefile": "grade:\n",
    "graders/handout/gitignore": ".venv/\n",
    "graders/handout/README.md.orig": "left by an editor\n",
    "graders/engine/__init__.py": '"""The engine."""\n',
    "graders/engine/judge/checks.ini": "[pytest]\n",
    "graders/engine/judge/scratch.txt": "no part of the package\n",
    "graders/engine/judge/__pycache__/old.cpython-311.pyc": "compiled\n",
    "graders/ex91_doubling/visible.py": VISIBLE,
    "graders/ex91_doubling/hidden.py": HIDDEN,
    "graders/ex91_doubling/sizes.py": "SIZE = 7\n",
    "graders/ex91_doubling/rule.py": "FACTOR = 2\n",
    "graders/ex91_doubling/figure.py": "import drawing_things\n",
    "graders/ex91_doubling/given.py": "def half(x):\n    return x / 2\n",
    "graders/ex91_doubling/wrong.yaml": "tripled: {}\n",
    "graders/ex91_doubling/right/added.py": "def double(x):\n    return x + x\n",
    "tests/test_doubling.py": "",
}
PUBLIC = {
    ".github/workflows/class.yml", ".github/workflows/feedback.yml", ".github/workflows/grade.yml", ".gitignore",
    "LICENSE", "Makefile", "README.md",
    "constraints.txt", "exercises/CHANGELOG.md", "exercises/README.md", "exercises/ex91_doubling.py",
    "exercises/twice.svg", "graders/__init__.py", "graders/__main__.py", "graders/card.schema.json",
    "graders/engine/__init__.py", "graders/engine/judge/checks.ini", "graders/ex91_doubling/given.py",
    "graders/ex91_doubling/sizes.py", "graders/ex91_doubling/visible.py", "graders/handed_out.json", "grading.yaml",
    "pyproject.toml",
}  # fmt: skip
PRIVATE = {
    "exercises/ex91_doubling.py", "graders/ex91_doubling/given.py", "graders/ex91_doubling/hidden.py",
    "graders/ex91_doubling/rule.py", "graders/ex91_doubling/sizes.py", "graders/ex91_doubling/visible.py",
    "graders/handed_out.json", "grading.yaml", "reference/ex91_doubling.py",
}  # fmt: skip


def make_upstream(root: Path) -> Path:
    """Write the staff repository into that folder, and return it."""
    from graders.engine.load.handed_out import as_record

    record = {"graders/handed_out.json": as_record({f"{SLUG}.py": STUB})}
    for path, text in (FILES | record).items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    return root


class Release:
    """The commands, run on a staff repository `upstream` and a course repository `tree` side by side."""

    def __init__(self, folder: Path, command_line: CommandLine) -> None:
        self.folder, self.tree, self.key = folder, folder / "tree", folder / "course.key"
        self.upstream = make_upstream(folder / "upstream")
        self.line = command_line

    def run(self, *arguments: object, **variables: str) -> Ended:
        """Run any command, beside both."""
        return self.line.run(self.folder, *arguments, **variables)

    def release(self, *arguments: object) -> Ended:
        """Run `grade release tree`; it must end well."""
        done = self.run("release", "tree", "--course", "upstream", *arguments)
        assert done.returncode == ALL_PASSED, done.stderr
        return done

    def refused(self, *arguments: object, code: int = NOTHING_GRADED) -> str:
        """Run `grade release tree`, which must end with that code and change nothing, and return what it said."""
        before = self.files()
        done = self.run("release", "tree", "--course", "upstream", *arguments)
        assert (done.returncode, done.stdout) == (code, "")
        assert self.files() == before
        return done.stderr

    def files(self) -> dict[str, bytes]:
        """What the tree holds, links left out."""
        paths = [path for path in self.tree.rglob("*") if path.is_file() and not path.is_symlink()]
        return {path.relative_to(self.tree).as_posix(): path.read_bytes() for path in paths}

    def put_bundle(self, sealed: bytes) -> None:
        """Put this in the place of the sealed files, and into the record."""
        from graders.engine.deliver.release.record import BUNDLE, RECORD, digest

        record = json.loads((self.tree / RECORD).read_bytes())
        record["files"][BUNDLE] = digest(sealed)
        (self.tree / RECORD).write_text(json.dumps(record), encoding="utf-8")
        (self.tree / BUNDLE).write_bytes(sealed)

    def recipient(self) -> str:
        """Make a key, and return its public half."""
        done = self.run("keygen", self.key)
        assert done.returncode == ALL_PASSED, done.stderr
        return done.stdout.strip()

"""A course on a GitHub of this machine: it is released with a fresh key, forked, worked on, practised and graded."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from graders.engine.deliver.seal import unseal
from graders.engine.score.card import Card, card_from_json
from tests.command_line import ALL_PASSED, ROOT, command
from tests.github import api_server, git_server
from tests.github.openapi import description
from tests.github.state import GitHub, Pull, Token
from tests.rehearsal.act import Machine, Order, Watch, ignore, run_workflow
from tests.rehearsal.events import practised, proposed, pushed
from tests.rehearsal.python import make_python
from tests.rehearsal.record import Run
from tests.rehearsal.students import Student

COURSE = "university/positional-embeddings"
NAME = COURSE.partition("/")[2]
TOKEN = "ghs_TokenOfOneJobOfTheCourse"
"""Given to the runs that GitHub gives one with rights; others have none at all."""
FEEDBACK, GRADE = ".github/workflows/feedback.yml", ".github/workflows/grade.yml"
IDENTITY = ("-c", "user.name=Someone", "-c", "user.email=someone@example.org")


@dataclass(frozen=True)
class Release:
    """A released course: `tree` are its files, `key` is the secret that opens its hidden checks."""

    folder: Path
    tree: Path
    key: str = field(repr=False)
    said: str = field(repr=False)


@dataclass(frozen=True)
class Stage:
    """All that there is of a course on GitHub."""

    scratch: Path
    release: Release
    github: GitHub
    machine: Machine
    numbers: Iterator[int]

    @property
    def repositories(self) -> Path:
        return self.scratch / "repositories"

    def hand_in(self, student: Student) -> Pull:
        """Fork the course, do the student's work in it, push it, and open a pull request."""
        fork = f"{student.login}/{NAME}"
        (self.repositories / student.login).mkdir()
        git_server.fork(self.repositories, COURSE, fork)
        checkout = self.checkout(fork, "main")
        student.work(checkout)
        commit = self._push(checkout, fork, student.branch, student.message)
        pull = self.github.open_pull(COURSE, fork, commit, student.branch)
        pull.title = student.title
        git_server.open_pull(self.repositories, COURSE, pull.number, fork, commit)
        return pull

    def push_again(self, pull: Pull, student: Student) -> None:
        """Replace what a pull request holds, as a forced push does."""
        assert pull.fork is not None
        checkout = self.checkout(pull.fork.full_name, "main")
        student.work(checkout)
        pull.sha = self._push(checkout, pull.fork.full_name, pull.branch, student.message)
        git_server.open_pull(self.repositories, COURSE, pull.number, pull.fork.full_name, pull.sha)

    def practise(self, student: Student, pull: Pull) -> Run:
        """Run `feedback`, where the student has it run: in the fork at a push, or in the course for a pull request.

        Either way it is the file that the student has pushed, and there is neither secret nor token.
        """
        if student.practice == "push":
            event, checkout = pushed(pull, student.message), self.checkout(f"{student.login}/{NAME}", pull.sha)
        else:
            event, checkout = proposed(pull), self.checkout(COURSE, self._merge(pull))
        return run_workflow(self.machine, Order(event, checkout, FEEDBACK, next(self.numbers)))

    def grading(self, student: Student, pull: Pull) -> Order:
        """Return the order to run `grade` after such a run: the default branch's file, with the key and a token."""
        event = practised(self.github, pull, student.message)
        secrets = {"GRADING_KEY": self.release.key, "GITHUB_TOKEN": TOKEN}
        return Order(event, self.checkout(COURSE, "main"), GRADE, next(self.numbers), secrets)

    def grade(self, student: Student, pull: Pull, watch: Watch = ignore) -> tuple[int, Run]:
        """Run `grade` for a pull request; return the number of the run and what it did."""
        order = self.grading(student, pull)
        return order.number, run_workflow(self.machine, order, watch)

    def whole_card(self, number: int) -> Card:
        """Return the card that a run of `grade` has left for the staff, opened with the key."""
        sealed = self.machine.artifacts / str(number) / "sealed-card" / "card.json.age"
        return card_from_json(unseal(sealed.read_bytes(), self.release.key).decode())

    def checkout(self, repository: str, commit: str) -> Path:
        """Return a new clone of a repository, at a commit or branch."""
        folder = self.scratch / "checkouts" / str(next(self.numbers))
        source = self.repositories / f"{repository}.git"
        git_server.run_git(self.scratch, "clone", "--quiet", "--no-checkout", source, folder)
        # A runner takes the names of what it runs for from here.
        revision = f"origin/{commit}" if commit == "main" else commit
        git_server.run_git(folder, "checkout", "--quiet", "-B", "main", revision)
        return folder

    def _push(self, checkout: Path, repository: str, branch: str, message: str) -> str:
        target = self.repositories / f"{repository}.git"
        git_server.run_git(checkout, "add", "--all")
        git_server.run_git(checkout, *IDENTITY, "commit", "--quiet", "--file=-", stdin=message.encode())
        git_server.run_git(checkout, "push", "--quiet", "--force", target, f"HEAD:refs/heads/{branch}")
        return git_server.run_git(checkout, "rev-parse", "HEAD")

    def _merge(self, pull: Pull) -> str:
        """Make the commit that GitHub would run for; as the course has not moved, it holds what the fork has."""
        course = self.repositories / f"{COURSE}.git"
        parents = ("-p", "main", "-p", pull.sha)
        merge = git_server.run_git(course, *IDENTITY, "commit-tree", f"{pull.sha}^{{tree}}", *parents, "-m", "Merge")
        git_server.run_git(course, "update-ref", f"refs/pull/{pull.number}/merge", merge)
        return merge


def release(folder: Path) -> Release:
    """Make a key, release this course, and make a repository of it, all in a new folder."""
    folder.mkdir()
    tree, key_file = folder / "tree", folder / "key"
    recipient = grade_command(folder, "keygen", key_file).strip()
    said = grade_command(ROOT, "release", tree, "--recipient", recipient)
    lines = key_file.read_text(encoding="utf-8").splitlines()
    (folder / COURSE).parent.mkdir()
    course = git_server.create(folder, COURSE)
    git_server.run_git(tree, "init", "--quiet", "--initial-branch=main")
    git_server.run_git(tree, "add", "--all")
    git_server.run_git(tree, *IDENTITY, "commit", "--quiet", "--message=The course")
    git_server.run_git(tree, "push", "--quiet", course, "main")
    return Release(folder, tree, next(line for line in lines if not line.startswith("#")), said)


@contextmanager
def staged(scratch: Path, release: Release) -> Iterator[Stage]:
    """Serve a released course from an empty folder."""
    description()  # here, where a test may be skipped for want of it, and not in the server
    repositories = scratch / "repositories"
    shutil.copytree(release.folder / f"{COURSE}.git", repositories / f"{COURSE}.git")
    github = GitHub()
    github.repository(COURSE)
    github.tokens[TOKEN] = Token()
    with api_server.serving(github) as api, git_server.serving(repositories) as server:
        machine = Machine(scratch, make_python(scratch / "python"), api, server)
        yield Stage(scratch, release, github, machine, count(1))


def grade_command(folder: Path, *arguments: object) -> str:
    """Run a command of the staff's, which has to end well; return what it printed."""
    done = command(folder, *arguments)
    assert done.returncode == ALL_PASSED, done.stdout + done.stderr
    return done.stdout

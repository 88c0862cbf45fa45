"""A course with its forks, on an API and a git server that agree with each other: what a sweep goes through."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.github import api_server, git_server
from tests.github.git_server import GitHost, hosting
from tests.github.state import GitHub, Pull, Push, Repository
from tests.github.storage import storing

COURSE = "staff/course"
EXERCISE = "exercises/ex01_lookup.py"
WORKFLOW = ".github/workflows/feedback.yml"
RELEASED: Mapping[str, bytes] = {
    EXERCISE: b"# TODO\n",
    WORKFLOW: b"name: feedback\n",
    "README.md": b"the course\n",
}
RELEASE_DAY, BEFORE, AFTER = "2026-09-01T12:00:00Z", "2026-11-29T12:00:00Z", "2026-12-01T12:00:00Z"
DEADLINE = "2026-11-30T23:59:59Z"
NOTHING = "0" * 40


@dataclass
class World:
    """All that there is. Files of a fork are those of the course, but for what a push says."""

    github: GitHub
    host: GitHost
    server: str

    def course(self, files: Mapping[str, bytes] = RELEASED, time: str = RELEASE_DAY) -> str:
        """Push to the course, and return the commit."""
        repository = self.github.repository(COURSE)
        if not repository.pushes:
            (self.host.folder / "staff").mkdir()
            git_server.create(self.host.folder, COURSE)
        return self._pushed(repository, files, time, "main", "push")

    def fork(self, name: str, of: str = COURSE, branch: str = "main", made: str = "2026-10-01T12:00:00Z") -> Repository:
        """Fork a repository, under another name of its default branch where one is given."""
        (self.host.folder / name).parent.mkdir(exist_ok=True)
        place = git_server.fork(self.host.folder, of, name)
        fork = self.github.repository(name, branch)
        fork.parent, fork.made = self.github.repository(of), made
        if branch != "main":
            git_server.run_git(place, "branch", "--quiet", "--move", "main", branch)
        return fork

    def push(
        self,
        fork: Repository,
        work: bytes,
        time: str = BEFORE,
        branch: str = "",
        kind: str = "push",
        more: Mapping[str, bytes] | None = None,
    ) -> str:
        """Push a commit with that exercise to a fork, and return it."""
        files = {**RELEASED, EXERCISE: work, **(more or {})}
        return self._pushed(fork, files, time, branch or fork.default_branch, kind)

    def pull(self, fork: Repository, sha: str, branch: str = "main") -> Pull:
        """Open a pull request; the course's repository has its commit from then on."""
        pull = self.github.open_pull(COURSE, fork.full_name, sha, branch)
        pull.base_sha, pull.author = self.github.repository(COURSE).pushes[0].after, fork.owner
        git_server.open_pull(self.host.folder, COURSE, pull.number, fork.full_name, sha)
        return pull

    def _pushed(self, repository: Repository, files: Mapping[str, bytes], time: str, branch: str, kind: str) -> str:
        before = next((push.after for push in reversed(repository.pushes) if push.branch == branch), NOTHING)
        sha = git_server.commit(self.host.folder, repository.full_name, files, branch)
        repository.pushes.append(Push(branch, before, sha, time, kind))
        return sha


@contextmanager
def a_world(folder: Path) -> Iterator[World]:
    """Serve a course that was released and has no forks yet, from an empty folder."""
    github = GitHub()
    host = GitHost(folder)
    with api_server.serving(github), storing(github), hosting(host) as server:
        world = World(github, host, server)
        world.course()
        yield world

"""The members of one crew that live: whoever ends the crew finds them all, and none is started after that."""

import threading
from collections.abc import Iterator

from graders.engine.batch.crew import Setup
from graders.engine.batch.member_process import MemberLost, MemberProcess


class Living:
    """Starts members, and knows of each until it is released. Any thread may use it."""

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._changing = threading.Lock()
        self._members: set[MemberProcess] = set()
        self.ended = False
        self.one_was_ready = False
        """Whether any of them ever came as far as to judge."""

    def __iter__(self) -> Iterator[MemberProcess]:
        """Go over those that live now."""
        with self._changing:
            return iter(list(self._members))

    def start(self) -> MemberProcess:
        """Return a new one that can judge; raises as its `begin` does, and MemberLost after the end."""
        with self._changing:
            if self.ended:
                raise MemberLost("no more are started")
            member = MemberProcess(self._setup)
            self._members.add(member)
        try:
            member.begin()
        except BaseException:
            self.release(member)
            raise
        self.one_was_ready = True
        return member

    def release(self, member: MemberProcess | None) -> None:
        """End one, if there is one, by the thread that uses it."""
        if member is not None:
            member.release()
            with self._changing:
                self._members.discard(member)

    def end(self) -> None:
        """Kill all, also in the middle of a submission; the thread that waits for one does the rest."""
        with self._changing:
            self.ended = True
        for member in self:
            member.kill()

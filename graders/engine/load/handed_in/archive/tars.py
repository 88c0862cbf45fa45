"""A tar, packed or not: its members in one pass, of which those files are kept that can be work.

Read by a reader of its own: one header after another, always forwards, nothing longer than its limit. Python's reads
a header of any length, and some of its versions never come back from a forged one.
"""

import lzma
import re
import stat
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from graders.engine.clean import one_line
from graders.engine.load.assignment import NOTEBOOK
from graders.engine.load.handed_in.archive.members import DEEPEST, Member
from graders.engine.load.handed_in.archive.unpacking import Forward, unpacked
from graders.engine.load.notebook.cells import MAX_BYTES as MAX_NOTEBOOK_BYTES
from graders.engine.load.place import KINDS, MAX_BYTES, Refused, too_large

MAX_KEPT = 128_000_000
"""Of all files together that can be work."""
MAX_MEMBERS = 20_000
MAX_LONG_NAME, MAX_PAX = 4_096, 65_536

_BLOCK = 512
_DAMAGED = "expected a tar as systems make it; this one is damaged, or not all of it. Pack or download it again"
_KINDS = {
    b"0": stat.S_IFREG,
    b"\0": stat.S_IFREG,
    b"7": stat.S_IFREG,
    b"1": stat.S_IFLNK,  # a second name of another member is refused as a link is
    b"2": stat.S_IFLNK,
    b"3": stat.S_IFCHR,
    b"4": stat.S_IFBLK,
    b"5": stat.S_IFDIR,
    b"6": stat.S_IFIFO,
}


@dataclass(frozen=True, slots=True)
class Kept:
    """The files of an archive that can be work, by the place in it at which each begins."""

    files: dict[int, bytes]

    def bytes_of(self, member: Member, label: str, limit: int) -> bytes:
        if member.refusal:
            raise Refused(f"{label} {member.refusal}")
        if member.size > limit:
            raise too_large(label, member.size, limit)
        if member.at not in self.files:
            raise Refused(f"{label} lies in an archive with too much beside it; pack only your own work")
        return self.files[member.at]


def read_tar(data: bytes) -> tuple[Kept, tuple[Member, ...]]:
    """The files of an archive that can be work, and its members; raises Refused."""
    stream = unpacked(data)
    kept: dict[int, bytes] = {}
    members: list[Member] = []
    size = 0
    try:
        for member in _members(stream):
            if len(members) == MAX_MEMBERS:
                raise Refused(f"it has more than {MAX_MEMBERS} files; pack only your own work")
            members.append(member)
            if _can_be_work(member) and size + member.size <= MAX_KEPT:
                kept[member.at] = stream.exactly(member.size)
                size += member.size
            stream.skip_to(member.at + member.packed)
    except (OSError, EOFError, lzma.LZMAError, zlib.error) as error:
        raise Refused(f"{_DAMAGED} ({one_line(str(error)[:100])})") from error
    return Kept(kept), tuple(members)


def _members(stream: Forward) -> Iterator[Member]:
    """The members, each as soon as its header is read; the stream then is at its first byte."""
    name, size = "", -1
    while True:
        header = stream.up_to(_BLOCK)
        # Some programs write no end, but then a whole member, of which there is one at least, is the last.
        if not header.strip(b"\0") and (header or stream.place):
            return
        if len(header) < _BLOCK:
            raise EOFError("it ends too early")
        kind, found = header[156:157], _header(header, stream.place)
        if kind in (b"L", b"x"):
            limit = MAX_LONG_NAME if kind == b"L" else MAX_PAX
            if found.size > limit:
                raise Refused(f"a name in it takes {found.size} bytes; {_DAMAGED}")
            body = stream.exactly(found.size)
            stream.skip_to(found.at + found.packed)
            if kind == b"L":
                name = _text(body.rstrip(b"\0"))
            else:
                told = _pax(body)
                name, size = told.get("path", name), int(told.get("size", size))
            continue
        if kind in (b"K", b"g"):  # the name that a link leads to, and what holds for all members: of no use here
            stream.skip_to(found.at + found.packed)
            continue
        if size >= 0:
            found = replace(found, size=size, packed=_rounded(size))
        yield replace(found, path=name or found.path)
        name, size = "", -1


def _header(block: bytes, place: int) -> Member:
    told = _number(block[148:156])
    if told != sum(block[:148]) + 8 * ord(" ") + sum(block[156:]):
        raise Refused(_DAMAGED)
    name, prefix = _text(block[:100].split(b"\0")[0]), ""
    if block[257:263] == b"ustar\0":
        prefix = _text(block[345:500].split(b"\0")[0])
    kind = block[156:157]
    mode = _KINDS.get(kind, 0)
    size = _number(block[124:136])
    refusal = (
        "" if mode else "is packed in a way that is not read here; expected an ordinary tar. Pack the folder again."
    )
    if kind in (b"0", b"\0") and name.endswith("/"):
        mode = stat.S_IFDIR
    # Only these have bytes of their own: a link or a folder may name a size all the same.
    own = size if kind not in (b"1", b"2", b"3", b"4", b"5", b"6") else 0
    return Member(
        f"{prefix}/{name}" if prefix else name, mode or stat.S_IFREG, own, place, _rounded(own), refusal=refusal
    )


def _number(field: bytes) -> int:
    """A number in octal digits, or in bytes where it is too large for these."""
    if field[:1] == b"\x80":
        return int.from_bytes(field[1:], "big")
    digits = field.strip(b"\0 ")
    if not re.fullmatch(rb"[0-7]*", digits):
        raise Refused(_DAMAGED)
    return int(digits or b"0", 8)


def _pax(body: bytes) -> dict[str, str]:
    """The lines of an extended header, each with its length before it."""
    told, place = {}, 0
    while place < len(body) and body[place : place + 1] != b"\0":
        length, _, _ = body[place : place + 10].partition(b" ")
        if not length.isdigit() or not len(length) + 3 <= int(length) <= len(body) - place:
            raise Refused(_DAMAGED)
        key, equals, value = body[place + len(length) + 1 : place + int(length) - 1].partition(b"=")
        if not equals or (key == b"size" and not re.fullmatch(rb"[0-9]{1,20}", value)):
            raise Refused(_DAMAGED)
        told[_text(key)] = _text(value)
        place += int(length)
    return told


def _can_be_work(member: Member) -> bool:
    path = PurePosixPath(member.path)
    limit = MAX_NOTEBOOK_BYTES if path.suffix == NOTEBOOK else MAX_BYTES
    kept = path.suffix in KINDS and len(path.parts) <= DEEPEST + 1
    return kept and stat.S_ISREG(member.mode) and not member.refusal and member.size <= limit


def _rounded(size: int) -> int:
    return -(-size // _BLOCK) * _BLOCK


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")

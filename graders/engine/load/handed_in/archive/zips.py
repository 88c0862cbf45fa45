"""A zip: which members its list names, believed only within limits, and the bytes of one, read where the list says.

The library reads the list, and nothing else of the archive. Members that overlap are refused, as each byte of such an
archive can be unpacked many times.
"""

import io
import stat
import struct
import zipfile
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from graders.engine.clean import one_line
from graders.engine.load.handed_in.archive.members import Member
from graders.engine.load.place import Refused, too_large

_STORED, _DEFLATED = zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED
_HEADER = struct.Struct("<4s5H3L2H")
_ENCRYPTED, _UTF8 = 0x1, 0x800
_DAMAGED = "expected a zip as systems make it; this one is damaged. Pack or download it again"
_NO_ZIP = (
    "it is no zip, or only the beginning of one, as after a download that was cut off; expected a whole zip. "
    "Pack or download it again"
)


@dataclass(frozen=True, slots=True)
class Limits:
    """What the list of an archive may take, in bytes, and how many members it may name."""

    list_bytes: int
    members: int


ONE_STUDENT = Limits(4_000_000, 20_000)
A_CLASS = Limits(64_000_000, 400_000)


def list_zip(file: BinaryIO, limits: Limits) -> tuple[Member, ...]:
    """The members that the archive names; raises Refused."""
    guarded = _Guarded(file, limits.list_bytes)
    try:
        if not zipfile.is_zipfile(guarded):
            raise Refused(_NO_ZIP)
        with zipfile.ZipFile(guarded) as archive:
            named = archive.infolist()
            start = archive.start_dir
    except (zipfile.BadZipFile, NotImplementedError, ValueError, struct.error, OverflowError, EOFError) as error:
        raise Refused(f"{_DAMAGED} ({one_line(str(error)[:100])})") from error
    if len(named) > limits.members:
        raise Refused(f"it has {len(named)} files; expected {limits.members} at most. Pack only your own work")
    _require_apart(named, start)
    return tuple(map(_member, named))


@dataclass(frozen=True, slots=True)
class ZipBytes:
    """An archive in memory."""

    data: bytes

    def file(self) -> BinaryIO:
        return io.BytesIO(self.data)

    def bytes_of(self, member: Member, label: str, limit: int) -> bytes:
        return read_member(self.file(), member, label, limit)


@dataclass(frozen=True, slots=True)
class ZipOnDisk:
    """An archive that an instructor named, opened for each member."""

    path: Path

    def bytes_of(self, member: Member, label: str, limit: int) -> bytes:
        try:
            with self.path.open("rb") as file:
                return read_member(file, member, label, limit)
        except OSError as error:
            raise Refused(
                f"{label} cannot be read ({error.strerror}); the archive of the class is not there any more"
            ) from error


def read_member(file: BinaryIO, member: Member, label: str, limit: int) -> bytes:
    """The member's bytes; raises Refused."""
    if member.refusal:
        raise Refused(f"{label} {member.refusal}")
    if member.size > limit:
        raise too_large(label, member.size, limit)
    file.seek(member.at)
    header = file.read(_HEADER.size)
    if len(header) < _HEADER.size or header[:4] != b"PK\3\4":
        raise Refused(f"{label} is not where the archive says; {_DAMAGED}")
    *_, name_length, extra_length = _HEADER.unpack(header)
    file.seek(name_length + extra_length, io.SEEK_CUR)
    # No more than can make up so many bytes: what deflate cannot make smaller, it makes a little larger.
    packed = file.read(min(member.packed, member.size + member.size // 10 + 1_000))
    source = packed if member.method == _STORED else _inflated(packed, label, member.size)
    if len(source) != member.size or zlib.crc32(source) != member.crc:
        raise Refused(f"{label} is not what the archive says; {_DAMAGED}")
    return source


def _inflated(packed: bytes, label: str, size: int) -> bytes:
    try:
        return zlib.decompressobj(-zlib.MAX_WBITS).decompress(packed, size + 1)
    except zlib.error as error:
        raise Refused(f"{label} cannot be unpacked; {_DAMAGED}") from error


def _member(info: zipfile.ZipInfo) -> Member:
    kind = stat.S_IFMT(info.external_attr >> 16)
    if info.filename.endswith(("/", "\\")):
        kind = stat.S_IFDIR
    refusal = ""
    if info.flag_bits & _ENCRYPTED:
        refusal = "is encrypted; expected an archive without a password. Pack the folder again."
    elif info.compress_type not in (_STORED, _DEFLATED):
        refusal = "is packed in a way that is not read here; expected an ordinary zip. Pack the folder again."
    return Member(
        path=_name(info),
        mode=kind or stat.S_IFREG,
        size=info.file_size,
        at=info.header_offset,
        packed=info.compress_size,
        method=info.compress_type,
        crc=info.CRC,
        refusal=refusal,
    )


def _name(info: zipfile.ZipInfo) -> str:
    """The name as it was written, before the library cut it; without a flag, it is UTF-8 more often than not."""
    name = info.orig_filename
    if info.flag_bits & _UTF8:
        return name
    try:
        return name.encode("cp437").decode("utf-8")
    except UnicodeError:
        return name


def _require_apart(named: Sequence[zipfile.ZipInfo], end: int) -> None:
    """Raise Refused where two members share bytes, or one lies outside the archive."""
    place = 0
    for info in sorted(named, key=lambda info: info.header_offset):
        if info.header_offset < place:
            raise Refused(f"its files overlap; {_DAMAGED}")
        place = info.header_offset + _HEADER.size + info.compress_size
    if place > end:
        raise Refused(f"its files are longer than itself; {_DAMAGED}")


class _Guarded:
    """A file of which no more than so many bytes are read at once: the list of a zip is read in one go."""

    def __init__(self, file: BinaryIO, most: int) -> None:
        self.file = file
        self.most = most

    def read(self, size: int = -1) -> bytes:
        if size < 0:
            here = self.file.tell()
            size = self.file.seek(0, io.SEEK_END) - here
            self.file.seek(here)
        if size > self.most:
            raise Refused(f"its list of files takes {size / 1e6:.0f} MB; expected {self.most // 1_000_000} MB at most")
        return self.file.read(size)

    def seek(self, place: int, whence: int = io.SEEK_SET) -> int:
        return self.file.seek(place, whence)

    def tell(self) -> int:
        return self.file.tell()

    def seekable(self) -> bool:
        return True

    def close(self) -> None:
        """The file is closed by whoever opened it."""

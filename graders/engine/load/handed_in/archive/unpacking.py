"""What is packed, read forwards and no further than a limit: gzip, bzip2 and xz, or bytes as they are."""

import bz2
import gzip
import io
import lzma
from typing import Protocol

from graders.engine.load.place import Refused

MAX_UNPACKED = 256_000_000
MAX_RATIO, NO_BOMB = 200, 8_000_000
"""Nothing above so many bytes is packed to less than this part of its size, if people's files are in it."""
XZ_MEMORY = 128 << 20


class Source(Protocol):
    """What can be read forwards."""

    def read(self, size: int, /) -> bytes: ...


def unpacked(data: bytes) -> "Forward":
    """A stream of what these bytes are packed from, that may not be much more than they are."""
    return Forward(_opened(data), min(MAX_UNPACKED, max(NO_BOMB, len(data) * MAX_RATIO)))


def _opened(data: bytes) -> Source:
    file = io.BytesIO(data)
    if data.startswith(b"\x1f\x8b"):
        return gzip.GzipFile(fileobj=file)
    if data.startswith(b"BZh"):
        return bz2.BZ2File(file)
    if data.startswith(b"\xfd7zXZ\0"):
        return _Xz(file)
    return file


class _Xz:
    """What is packed in the format xz, with a limit on memory, which the library's own file has not."""

    def __init__(self, file: io.BytesIO) -> None:
        self.file = file
        self.stream = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=XZ_MEMORY)

    def read(self, size: int, /) -> bytes:
        while not self.stream.eof:
            more = self.file.read(65_536) if self.stream.needs_input else b""
            if self.stream.needs_input and not more:
                raise EOFError("it ends too early")
            if unpacked := self.stream.decompress(more, size):
                return unpacked
        return b""


class Forward:
    """A stream that is read forwards, and no further than so many bytes."""

    def __init__(self, source: Source, most: int) -> None:
        self.source = source
        self.most = most
        self.place = 0

    def up_to(self, size: int) -> bytes:
        found = bytearray()
        while len(found) < size and (more := self.source.read(size - len(found))):
            found += more
            self.place += len(more)
            if self.place > self.most:
                raise Refused(
                    f"it unpacks to more than {self.most // 1_000_000} MB; expected the exercise files. "
                    "Pack only your own work"
                )
        return bytes(found)

    def exactly(self, size: int) -> bytes:
        found = self.up_to(size)
        if len(found) < size:
            raise EOFError("it ends too early")
        return found

    def skip_to(self, place: int) -> None:
        while self.place < place:
            self.exactly(min(place - self.place, 1 << 20))

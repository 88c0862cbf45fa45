"""Which files are archives, by their names, and what one holds, by what its first bytes say that it is."""

from graders.engine.load.handed_in.archive.members import MemberFolder, folder_of
from graders.engine.load.handed_in.archive.tars import read_tar
from graders.engine.load.handed_in.archive.zips import ONE_STUDENT, ZipBytes, list_zip
from graders.engine.load.place import Refused

MAX_ARCHIVE = 64_000_000
"""Of one student's archive, as it lies there."""

_ZIP, _TARS = ".zip", (".tar", ".tar.gz", ".tgz", ".tar.xz", ".txz", ".tar.bz2", ".tbz2", ".tbz")
_NOT_READ = (".rar", ".7z")
_STRANGE = {b"Rar!": "RAR", b"7z\xbc\xaf": "7-Zip"}


def archive_stem(name: str) -> str | None:
    """What stands before an archive's ending; None if it has none. Those that are not read count as well."""
    lower = name.lower()
    # The longest that fits, so that nothing is left of .tar.gz.
    endings = sorted((_ZIP, *_TARS, *_NOT_READ), key=len, reverse=True)
    found = next((ending for ending in endings if lower.endswith(ending) and len(name) > len(ending)), None)
    return None if found is None else name[: -len(found)]


def open_archive(data: bytes, name: str, label: str) -> MemberFolder:
    """What an archive holds; raises Refused, in words for its student."""
    strange = next((kind for magic, kind in _STRANGE.items() if data.startswith(magic)), None)
    if strange is not None:
        raise Refused(f"{label} is an archive of {strange}; expected a zip or a tar. Pack the folder again as a zip")
    try:
        if data.startswith((b"PK\3\4", b"PK\5\6")) or name.lower().endswith(_ZIP):
            return folder_of(ZipBytes(data), list_zip(ZipBytes(data).file(), ONE_STUDENT))
        kept, members = read_tar(data)
        return folder_of(kept, members)
    except Refused as refusal:
        raise Refused(f"{label} cannot be read: {refusal}") from refusal

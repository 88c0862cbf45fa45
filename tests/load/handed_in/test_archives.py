"""Archives that somebody made to do harm, or that some program made badly: each is refused in words, quickly."""

import bz2
import gzip
import io
import lzma
import struct
import tarfile
import warnings
import zipfile

import pytest

from graders.engine.errors import SubmissionError
from graders.engine.load.handed_in.archive import members, opening, tars, unpacking, zips
from graders.engine.load.handed_in.finding import find_handed_in
from graders.engine.load.handed_in.loading import load_handed_in
from graders.engine.load.place import MAX_BYTES
from tests.load.handed_in.layouts import ASSIGNMENTS, FIRST, SECOND, WORK, tarred, under, written, zipped

FILE = f"{FIRST}.py"


def graded(tmp_path, name, data):
    """What is read of one student's archive, beside one that is in order."""
    found = find_handed_in(written(tmp_path, {name: data, "bob.zip": zipped()}))
    ada, bob = found.handed_in
    assert load_handed_in(bob, ASSIGNMENTS).files[0].sha256
    return load_handed_in(ada, ASSIGNMENTS)


def refusal(tmp_path, name, data):
    """Why nothing of an archive is graded, or its first file is not."""
    try:
        told = graded(tmp_path, name, data).files[0].problem
    except SubmissionError as error:
        told = str(error)
    assert str(tmp_path) not in told
    return told


def member(name, kind=tarfile.REGTYPE, size=0, **more):
    info = tarfile.TarInfo(name)
    info.type = kind
    info.size = size
    for key, value in more.items():
        setattr(info, key, value)
    return info


def tar_of(*members, **options):
    """A tar of members and their bytes, with whatever their headers say."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w", **options) as archive:
        for info, source in members:
            archive.addfile(info, io.BytesIO(source))
    return data.getvalue()


def zip_of(*members):
    """A zip of these members, twice under one name if they say so."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive, warnings.catch_warnings(action="ignore"):
        for info, source in members:
            archive.writestr(info, source)
    return data.getvalue()


def kind_of(name, mode):
    info = zipfile.ZipInfo(name)
    info.external_attr = mode << 16
    info.create_system = 3
    return info


def patched(data, *changes):
    """The bytes with some of them changed: where a pattern stands first or last, and how far from it."""
    changed = bytearray(data)
    for pattern, offset, source in changes:
        place = changed.rindex(pattern) + offset
        changed[place : place + len(source)] = source
    return bytes(changed)


def overlapping():
    """Two members in the list, of which the second lies where the first does."""
    data = zipped({FILE: b"a = 1\n" * 99, "x.py": b"b"})
    return patched(data, (b"PK\1\2", 42, struct.pack("<L", 0)))


CENTRAL, END = b"PK\1\2", b"PK\5\6"
ONE = zipped({FILE: WORK[FILE]})
ZIPS = {
    "no zip": (b"<html>Please log in</html>", "it is no zip, or only the beginning of one"),
    "empty file": (b"", "it is no zip, or only the beginning of one"),
    "cut off": (ONE[:-30], "it is no zip, or only the beginning of one"),
    "empty": (zipped({}), "the folder is empty"),
    "leads out": (zipped({"../x.py": b"", FILE: b""}), 'leads out of it, "../x.py"'),
    "leads out by Windows": (zipped({"a\\..\\..\\x.py": b""}), "leads out of it"),
    "absolute": (zipped({"/etc/x.py": b""}), "leads out of it"),
    "drive": (zipped({"C:/x.py": b""}), "leads out of it"),
    "endless name": (zipped({"a/" * 600 + FILE: b""}), "a name that no file can have"),
    "twice": (zip_of((zipfile.ZipInfo(FILE), b"a"), (zipfile.ZipInfo(FILE), b"b")), "more than once"),
    "twice, by dots": (zipped({FILE: b"a", f"./{FILE}": b"b"}), "more than once"),
    "capitals": (zipped({FILE: b"a", FILE.upper(): b"b"}), "once more with other capitals"),
    "folder and file": (zipped({FILE: b"a", f"{FILE}/x": b"b"}), "more than once"),
    "file and folder": (zipped({f"{FILE}/": b"", FILE: b"b"}), "more than once"),
    "folder": (zipped({f"{FILE}/x.py": b"b"}), "is a folder"),
    "link": (zip_of((kind_of(FILE, 0o120777), b"/etc/passwd")), "is a link to another place"),
    "device": (zip_of((kind_of(FILE, 0o020666), b"")), "is a pipe or a device"),
    "exercises is a link": (zip_of((kind_of("exercises", 0o120777), b"/etc")), "exercises is a link"),
    "exercises is a file": (zipped({"exercises": b"x"}), "exercises is not a folder"),
    "encrypted": (patched(ONE, (CENTRAL, 8, b"\1\0"), (b"PK\3\4", 6, b"\1\0")), "is encrypted"),
    "unknown packing": (patched(ONE, (CENTRAL, 10, b"\x0e\0")), "an ordinary zip"),
    "bzip2": (zipped({FILE: b"a"}, zipfile.ZIP_BZIP2), "an ordinary zip"),
    "a new version": (patched(ONE, (CENTRAL, 6, b"\xff\0")), "zip file version"),
    "overlapping": (overlapping(), "its files overlap"),
    "beyond its end": (patched(ONE, (CENTRAL, 20, struct.pack("<L", 9_999))), "longer than itself"),
    "elsewhere": (patched(ONE, (b"PK\3\4", 0, b"PK\3\5")), "not where the archive says"),
    "another sum": (patched(ONE, (CENTRAL, 16, b"\0\0\0\0")), "not what the archive says"),
    "more than it says": (patched(ONE, (CENTRAL, 24, struct.pack("<L", 3))), "not what the archive says"),
    "less than it says": (patched(ONE, (CENTRAL, 24, struct.pack("<L", 99))), "not what the archive says"),
    "nothing to unpack": (patched(ONE, (FILE.encode() + b"K", len(FILE), b"\xff\xff\xff")), "is damaged"),
    "wrong letters": (patched(ONE, (CENTRAL, 8, b"\0\x08"), (CENTRAL, 46, b"\xff\xfe")), "is damaged"),
    "list that is not there": (patched(ONE, (END, 12, struct.pack("<L", 0xFFFFFF))), "is damaged"),
    "too large": (zipped({FILE: b"#" * (MAX_BYTES + 1)}), "is too large (1.0 MB)"),
    "zip in a zip in a zip": (zipped({"a.zip": zipped({"b.zip": ONE})}), "the folder holds a.zip"),
    "several": (zipped({"a.zip": ONE, "b.zip": ONE}), "the folder holds a.zip, b.zip"),
}
OTHERS = {
    "a RAR": ("ada.rar", b"Rar!\x1a\7\0", "ada.rar is an archive of RAR; expected a zip"),
    "a 7z called zip": ("ada.zip", b"7z\xbc\xaf\x27\x1c", "is an archive of 7-Zip"),
    "a tar called zip": ("ada.zip", tarred(), "it is no zip"),
    "no tar": ("ada.tar", b"x" * 2_000, "is damaged"),
    "a short tar": ("ada.tar", b"x", "it ends too early"),
    "an empty file": ("ada.tar", b"", "it ends too early"),
    "cut off in a header": ("ada.tar", tar_of((member(FILE), b""), (member("x.py"), b""))[:700], "it ends too early"),
    "no gzip": ("ada.tar.gz", b"\x1f\x8bxxxxxxxxxxxx", "is damaged"),
    "cut-off gzip": ("ada.tar.gz", tarred()[:-20], "is damaged"),
    "cut-off bzip2": ("ada.tar.bz2", tarred(packing="bz2")[:-20], "is damaged"),
    "cut-off xz": ("ada.tar.xz", tarred(packing="xz")[:150], "is damaged"),
    "no xz": ("ada.tar.xz", b"\xfd7zXZ\0" + b"x" * 99, "is damaged"),
    "xz with much memory": (
        "ada.tar.xz",
        lzma.compress(b"x" * 9_999, filters=[{"id": lzma.FILTER_LZMA2, "dict_size": 1 << 28}]),
        "is damaged",
    ),
    "leads out": ("ada.tar", tar_of((member("../x.py"), b"")), "leads out of it"),
    "absolute": ("ada.tar", tar_of((member("/etc/x.py"), b"")), "leads out of it"),
    "link": ("ada.tar", tar_of((member(FILE, tarfile.SYMTYPE, linkname="/etc/passwd"), b"")), "is a link"),
    "hard link": ("ada.tar", tar_of((member(FILE, tarfile.LNKTYPE, linkname="x.py"), b"")), "is a link"),
    "device": ("ada.tar", tar_of((member(FILE, tarfile.CHRTYPE), b"")), "is a pipe or a device"),
    "pipe": ("ada.tar", tar_of((member(FILE, tarfile.FIFOTYPE), b"")), "is a pipe or a device"),
    "folder": ("ada.tar", tar_of((member(FILE, tarfile.DIRTYPE), b"")), "is a folder"),
    "sparse": ("ada.tar", tar_of((member(FILE, tarfile.GNUTYPE_SPARSE), b"")), "an ordinary tar"),
    "twice": ("ada.tar", tar_of((member(FILE, size=1), b"a"), (member(FILE, size=1), b"b")), "more than once"),
    "less than it says": ("ada.tar", tar_of((member(FILE, size=5), b"abcde"))[:515], "ends too early"),
    "another sum": ("ada.tar", patched(tar_of((member(FILE), b"")), (FILE.encode(), 0, b"X")), "is damaged"),
    "too large": (
        "ada.tar",
        tar_of((member(FILE, size=MAX_BYTES + 1), b"#" * (MAX_BYTES + 1))),
        "is too large (1.0 MB)",
    ),
}


@pytest.mark.parametrize("kind", ZIPS)
def test_zips_that_are_refused(tmp_path, kind):
    data, words = ZIPS[kind]
    assert words in refusal(tmp_path, "ada.zip", data)


@pytest.mark.parametrize("kind", OTHERS)
def test_other_archives_that_are_refused(tmp_path, kind):
    name, data, words = OTHERS[kind]
    assert words in refusal(tmp_path, name, data)


def header(name=FILE, size=b"00000000000\0", kind=b"0", **fields):
    """The header of a tar by hand, with a sum that fits."""
    block = bytearray(512)
    block[: len(name)] = name.encode()
    block[124:136] = size
    block[156:157] = kind
    for place, source in fields.values():
        block[place : place + len(source)] = source
    block[148:156] = b"%06o\0 " % (sum(block[:148]) + 8 * 32 + sum(block[156:]))
    return bytes(block)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (header(size=b"-0000000001\0"), "is damaged"),
        (header(size=b"0_000000001\0"), "is damaged"),
        (header(size=b"\xff" * 12), "is damaged"),
        (header(size=b"\x80" + b"\xff" * 11), "ends too early"),
        (header(size=b"77777777777\0"), "ends too early"),
        (header(kind=b"L", size=b"00000100000\0"), "a name in it takes 32768 bytes"),
        (header(kind=b"x", size=b"00000400000\0"), "a name in it takes 131072 bytes"),
        (header(kind=b"x", size=b"00000000012\0") + b"0 path=a\n\n".ljust(512, b"\0"), "is damaged"),
        (header(kind=b"x", size=b"00000000012\0") + b"999999 a=b".ljust(512, b"\0"), "is damaged"),
        (header(kind=b"x", size=b"00000000012\0") + b"10 size=-1".ljust(512, b"\0"), "is damaged"),
        (header(kind=b"x", size=b"00000000012\0") + b"xx path=ab".ljust(512, b"\0"), "is damaged"),
    ],
)
def test_headers_of_a_tar_that_no_program_writes(tmp_path, data, words):
    assert words in refusal(tmp_path, "ada.tar", data + bytes(1_024))


def test_what_a_header_says_of_all_and_of_links_is_passed_over(tmp_path):
    data = tar_of(
        (member("a" * 200, tarfile.SYMTYPE, linkname="b" * 200), b""),
        (member(FILE, size=len(WORK[FILE])), WORK[FILE]),
        format=tarfile.GNU_FORMAT,
    )
    with_global = tar_of(
        (member(FILE, size=len(WORK[FILE])), WORK[FILE]), format=tarfile.PAX_FORMAT, pax_headers={"comment": "0" * 40}
    )
    for number, archive in enumerate((data, with_global)):
        (tmp_path / str(number)).mkdir()
        assert graded(tmp_path / str(number), "ada.tar", archive).files[0].source == WORK[FILE]


@pytest.mark.parametrize(
    ("where", "limit", "value", "name", "data", "words"),
    [
        (zips, "ONE_STUDENT", zips.Limits(4_000_000, 2), "ada.zip", zipped(), "it has 3 files; expected 2 at most"),
        (zips, "ONE_STUDENT", zips.Limits(100, 2), "ada.zip", zipped(), "its list of files takes"),
        (opening, "MAX_ARCHIVE", 100, "ada.zip", zipped(), "ada.zip is too large"),
        (tars, "MAX_MEMBERS", 2, "ada.tar", tarred(packing=""), "it has more than 2 files"),
        (tars, "MAX_KEPT", 5, "ada.tar", tarred(packing=""), "lies in an archive with too much beside it"),
        (unpacking, "MAX_UNPACKED", 1_000, "ada.tar", tarred(packing=""), "it unpacks to more than"),
        (unpacking, "NO_BOMB", 1_000, "ada.tgz", tarred({FILE: b"#" * 900_000}), "it unpacks to more than"),
    ],
)
def test_limits(tmp_path, monkeypatch, where, limit, value, name, data, words):
    assert graded(tmp_path, name, data) or True
    for module in (zips, opening, tars, unpacking):
        if hasattr(module, limit):
            monkeypatch.setattr(module, limit, value)
    monkeypatch.setattr("graders.engine.load.handed_in.loading.MAX_ARCHIVE", opening.MAX_ARCHIVE)
    (ada,) = [one for one in find_handed_in(tmp_path).handed_in if one.student == "ada"]
    try:
        told = load_handed_in(ada, ASSIGNMENTS).files[0].problem
    except SubmissionError as error:
        told = str(error)
    assert words in told


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_a_bomb_is_put_down_where_it_passes_its_limit(tmp_path, pack):
    """A hundred thousand times what it is packed in, and never unpacked as a whole."""
    bomb = pack(tar_of((member("big", size=40_000_000), bytes(40_000_000))))
    assert "it unpacks to more than" in refusal(tmp_path, "ada.tar.gz", bomb)


def test_what_is_packed_to_almost_nothing_is_read_within_its_limit(tmp_path):
    """Such are notebooks that print one line without end."""
    work = b"#" * 900_000
    assert graded(tmp_path, "ada.zip", zipped({FILE: work})).files[0].source == work


def test_bombs_that_are_not_asked_for_are_not_unpacked(tmp_path):
    work = zipped({FILE: WORK[FILE], "data.bin": bytes(20_000_000)})
    assert graded(tmp_path, "ada.zip", work).files[0].source == WORK[FILE]


@pytest.mark.parametrize("name", ["ada.zip", "ada.tar.gz"])
def test_modules_and_folders_beside_the_work_are_seen_as_in_a_folder(tmp_path, name):
    files = under("exercises") | {
        "exercises/torch.py": b"",
        "exercises/numpy/__init__.py": b"",
        "exercises/data/x.txt": b"",
        "exercises/not-a-module.py": b"",
        "venv/lib/python/site/x.py": b"",
    }
    submission = graded(tmp_path, name, (zipped if name.endswith("zip") else tarred)(files))
    assert submission.files[0].neighbours == (SECOND, "numpy", "torch")
    assert [note.partition(" is ")[0] for note in submission.notes] == ["exercises/numpy/", "exercises/torch.py"]


def test_names_in_the_letters_of_old_zips(tmp_path):
    """Without a flag for UTF-8 they may be UTF-8 all the same, or of another time."""
    data = zipped({"Übung/exercises/x.txt": b"", f"Übung/exercises/{FILE}": b"a = 1\n"})
    unflagged = data.replace(b"\0\x08", b"\0\0")
    assert unflagged != data
    assert graded(tmp_path, "ada.zip", unflagged).files[0].source == b"a = 1\n"


def test_what_is_kept_of_each_member_is_only_what_can_be_asked_for():
    found = members.looked_at(
        [
            members.Member("a/b/c/d/e.py", 0o100644),
            members.Member("a/b/c/__init__.py", 0o100644),
            members.Member("a/b/c/__init__.py/x", 0o100644),
            members.Member("__MACOSX/a/b", 0o100644),
            members.Member("a/._b", 0o100644),
            members.Member("./", 0o040755),
        ]
    )
    assert [(one.path, one.mode) for one in found] == [("a/b/c", 0o040000), ("a/b/c/__init__.py", 0o100644)]

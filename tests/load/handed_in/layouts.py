"""Builders of everything that a class can come as: files by their paths, and the archives that hold them."""

import io
import tarfile
import zipfile

from graders.engine.load.assignment import Assignment, Text

FIRST, SECOND = "ex01_first_step", "ex02_second_one"
ASSIGNMENTS = (
    Assignment(FIRST, f"{FIRST}.py"),
    Assignment(SECOND, f"{SECOND}.py", texts=(Text("why", f"{SECOND}.md", "## Why\n"),)),
)
NOTEBOOK = "lesson.ipynb"
WORK = {f"{FIRST}.py": b"first = 1\n", f"{SECOND}.py": b"second = 2\n", f"{SECOND}.md": b"## Why\n\nbecause\n"}


def under(folder, files=WORK):
    """The files in a folder."""
    return {f"{folder}/{name}": source for name, source in files.items()}


def zipped(files=WORK, compression=zipfile.ZIP_DEFLATED):
    """A zip with these files; a name that ends in a slash is a folder's."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", compression) as archive:
        for name, source in files.items():
            archive.writestr(name, source)
    return data.getvalue()


def tarred(files=WORK, packing="gz", form=tarfile.PAX_FORMAT):
    """A tar with these files."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode=f"w:{packing}", format=form) as archive:
        for name, source in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(source)
            archive.addfile(member, io.BytesIO(source))
    return data.getvalue()


def written(root, files):
    """A folder with these files."""
    for name, source in files.items():
        path = root / name
        if name.endswith("/"):
            path.mkdir(parents=True, exist_ok=True)
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(source)
    return root


def canvas(who, user, files=WORK, late="", first=1000):
    """A student's files as Canvas calls them."""
    return {f"{who}_{late}{user}_{first + place}_{name}": files[name] for place, name in enumerate(files)}


def moodle(name, number, files=WORK, end="_"):
    """A student's folder as Moodle calls it."""
    return under(f"{name}_{number}_assignsubmission_file{end}", files)


def moodle_flat(name, number, files=WORK):
    """A student's files as Moodle calls them without folders."""
    return {f"{name}_{number}_assignsubmission_file_{file}": source for file, source in files.items()}


def gradescope(submissions, files=WORK):
    """An export: by number, who handed in and when, and the file that says so."""
    told = "---\n" + "".join(_submission(number, people, at) for number, (people, at) in submissions.items())
    held = {path: source for number in submissions for path, source in under(f"submission_{number}", files).items()}
    return {"submission_metadata.yml": told.encode(), **held}


def _submission(number, people, at):
    submitters = "".join(
        f"  - :name: {name}\n    :sid: {sid!r}\n    :email: {email!r}\n" for name, sid, email in people
    )
    return (
        f"submission_{number}:\n  :submitters:\n{submitters}  :created_at: {at}\n  :score: 3.0\n"
        "  :results:\n    output: |\n      :submitters: nobody\n    tests:\n    - {name: one, score: 1.0}\n"
        "  :history:\n  - :created_at: 2020-01-01 00:00:00 Z\n    :score: 1.0\n"
    )


ADA = ("Ada Lovelace", "1815", "ada@example.org")
BOB = ("Bob Kahn", "1938", "bob@example.org")
THEN = "2026-11-30 22:59:24.395123456 Z"
ROSTER = (
    "login,id,name,email,section,extension\n"
    "ada,1815,Ada Lovelace,ada@example.org,A,48\n"
    'bob,1938,"Kahn, Bob",bob@example.org,B,\n'
    "eve,2001,Eve,eve@example.org,B,2026-12-01T23:59+01:00\n"
)

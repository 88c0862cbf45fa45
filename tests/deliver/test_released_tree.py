"""What students fork, taken from this very repository: it holds nothing that they must not have, and it works."""

import json
import re
import shutil
import subprocess
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.command_line import ALL_PASSED, NOT_ALL_PASSED, NOTHING_GRADED, ROOT, CommandLine, command
from tests.deliver.leaks import NEVER, PUBLIC, Files, Secrets, files_in, git_objects, leaks, secrets_of, titles_in

BUNDLE = "graders/hidden.age"
GIT = ("git", "-c", "user.name=Staff", "-c", "user.email=staff@example.org", "-c", "init.defaultBranch=main")


@dataclass(frozen=True)
class Released:
    """The course repository after two releases, and what opens its hidden checks."""

    folder: Path
    key: Path

    @property
    def tree(self) -> Path:
        return self.folder / "course"


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory, command_line: CommandLine) -> Released:
    """Released twice, with another key the second time, and committed each time."""
    folder = tmp_path_factory.mktemp("released")
    made = Released(folder, folder / "second.key")
    subprocess.run([*GIT, "init", "-q", made.tree], check=True, timeout=60)
    for key in ("first.key", "second.key"):
        recipient = command_line.run(folder, "keygen", key).stdout.strip()
        done = command_line.run(folder, "release", "course", "--recipient", recipient)
        assert done.returncode == 0, done.stderr
        for arguments in (["add", "--all"], ["commit", "-q", "-m", f"Released, with {recipient}"]):
            subprocess.run([*GIT, "-C", made.tree, *arguments], check=True, timeout=60)
    return made


@pytest.fixture(scope="module")
def files(released: Released) -> Files:
    return {path: data for path, data in everything_in(released.tree).items() if not path.startswith(".git/")}


@pytest.fixture(scope="module")
def secrets() -> Secrets:
    return secrets_of(ROOT)


def everything_in(folder: Path) -> Files:
    """All files in a folder, those of git and caches as well."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


# ------------------------------------------------------------ what is not in it


def test_nothing_private_is_in_the_tree(files: Files, secrets: Secrets) -> None:
    assert leaks(files, secrets) == []


def test_nothing_private_is_in_its_history(released: Released, files: Files, secrets: Secrets) -> None:
    objects, paths = git_objects(released.tree)
    assert len([name for name in objects if name.startswith("commit")]) == 2
    now = set(files.values())
    assert now <= set(objects.values())
    # Where a file is as it is now, the test above has looked at it.
    assert leaks({name: data for name, data in objects.items() if data not in now}, secrets) == []
    assert [path for path in paths if NEVER.search(path)] == []


def test_neither_key_is_in_it_or_in_what_git_keeps(released: Released) -> None:
    identities = [path.read_text().split()[-1].encode() for path in released.folder.glob("*.key")]
    assert len(identities) == 2
    held = [*everything_in(released.tree).values(), *git_objects(released.tree)[0].values()]
    assert not [data for data in held for identity in identities if identity in data or identity[20:50] in data]


def test_each_of_its_files_is_ours_or_made_by_the_release(files: Files) -> None:
    ours = {path: data for path, data in files_in(ROOT).items() if PUBLIC.fullmatch(path)}
    handed = {path: ours[f"graders/handout/{path.lstrip('.')}"] for path in ("README.md", "Makefile", ".gitignore")}
    stubs = {f"exercises/{name}": text.encode() for name, text in json.loads(ours["graders/handed_out.json"]).items()}
    made = {"grading.yaml", "pyproject.toml", "graders/release.json", BUNDLE}
    assert {path for path in files if path not in made and (ours | handed | stubs).get(path) != files[path]} == set()


def test_its_project_says_nothing_of_our_tests_and_tools(released: Released) -> None:
    text = (released.tree / "pyproject.toml").read_text(encoding="utf-8")
    project = tomllib.loads(text)
    assert set(project) == {"build-system", "project", "tool"}
    assert set(project["tool"]) == {"setuptools"}
    assert set(project["project"]["optional-dependencies"]) == {"staff"}
    ours = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["project"]["dependencies"] == ours["project"]["dependencies"]
    assert not re.search(r"tests|ruff|mypy|zizmor", text)


def test_what_a_release_leaves_that_is_cut_off_is_not_committed(released: Released) -> None:
    left = [".release-lock", ".release-0a1b2c3d/exercises/README.md"]
    git = [*GIT, "-C", released.tree, "check-ignore", "--no-index", *left, ".release-notes/README.md"]
    done = subprocess.run(git, capture_output=True, check=True, timeout=60)
    assert done.stdout.decode().split() == left


def test_its_page_tells_a_student_what_is_for_them_and_what_they_will_see(released: Released) -> None:
    page = " ".join((released.tree / "README.md").read_text(encoding="utf-8").split())
    assert "The runs *grade* that are listed there too are skipped" in page
    for path in ("graders/", "grading.yaml", "constraints.txt"):
        assert (released.tree / path).exists()
        assert f"`{path}`" in page.partition("you need not read it")[0]


# ------------------------------------------------------------ that this would have been seen


def a_line() -> bytes:
    """A line of a reference that is no line of its stub."""
    name = "ex06_beyond_max_len.py"
    lines = set((ROOT / "reference" / name).read_bytes().splitlines())
    return max(lines - set((ROOT / "exercises" / name).read_bytes().splitlines()), key=len).strip()


def a_title() -> bytes:
    titles = titles_in((ROOT / "graders/ex02_token_pos/hidden.py").read_bytes())
    return max(titles, key=len).encode()


NOTEBOOK = {"cells": [{"source": ["def apply_rope(x):\n", "    return x\n"]}]}
WHOLE = {
    # A private file, where it is put, and what is found there.
    "graders/ex01_sinusoidal/hidden.py": (
        "graders/ex01_sinusoidal/more.py",
        "has a line of graders/ex01_sinusoidal/hi",
    ),
    "reference/ex02_token_pos.py": ("exercises/ex02_token_pos.py", "defines TokenPosEmbedding"),
    "reference/ex03_bert_segments.py": ("notes.txt", "has a line of reference/ex03_bert_segments.py"),
    "reference/ex07_knowledge_check.yaml": ("notes.yaml", "has a line of reference/ex07_knowledge_check.yaml"),
    "graders/ex03_bert_segments/wrong.yaml": ("a.bin", "has a line of graders/ex03_bert_segments/wrong.yaml"),
    "graders/ex06_beyond_max_len/right/matrices.py": ("a.md", "has a line of graders/ex06_beyond_max_len/right"),
    "graders/ex06_beyond_max_len/formulas.py": ("a.py", "has a line of graders/ex06_beyond_max_len/formulas.py"),
    "tests/short_answers/combination.right.txt": ("a.txt", "has a line of tests/short_answers"),
    "grading.yaml": ("grading.yaml", "lists hidden checks of ex05_order_matters"),
}
PARTS = {
    # What is put where, and what is found there.
    "a name of a check": (b"# like check_gradient_positions\n", "Makefile", "names check_gradient_positions"),
    "a key of the rubric": (b"exercises: {} # training_step\n", "grading.yaml", "names training_step"),
    "a name of a wrong answer": (b"# positions_from_one, perhaps\n", "a.py", "names positions_from_one"),
    "a name of a right answer": (b'x = "cumsum_positions"\n', "a.py", "names cumsum_positions"),
    "what a hidden check says": (b"- " + a_title(), "exercises/CHANGELOG.md", "says"),
    "a solution in a few words": (b"class BertEmbeddings: x = 1\n", "a.py", "defines BertEmbeddings"),
    "a solution in a cell": (json.dumps(NOTEBOOK).encode(), "exercises/more.ipynb", "defines apply_rope"),
    "a line in a comment": (b"x = 1  # was: " + a_line(), "graders/engine/clean.py", "has a line of reference/ex06"),
    "a key": (b'{"recipient": "AGE-SECRET-KEY-1' + b"Q" * 58 + b'"}', "graders/release.json", "has a key"),
    "a cache": (b"", "graders/engine/__pycache__/clean.cpython-311.pyc", "is there"),
    "a cache of pytest": (b"{}", ".pytest_cache/v/cache/lastfailed", "is there"),
    "a private file that is empty": (b"", "graders/ex01_sinusoidal/hidden.py", "is there"),
}


@pytest.mark.parametrize("path", WHOLE)
def test_a_private_file_is_found_wherever_it_lies(path: str, secrets: Secrets) -> None:
    place, finding = WHOLE[path]
    found = leaks({place: (ROOT / path).read_bytes()}, secrets)
    assert [line for line in found if line.startswith(f"{place} {finding}")], found


@pytest.mark.parametrize("what", PARTS)
def test_a_little_of_it_is_found(what: str, secrets: Secrets) -> None:
    data, place, finding = PARTS[what]
    found = leaks({place: data}, secrets)
    assert [line for line in found if line.startswith(f"{place} {finding}")], found


def test_a_file_that_was_there_for_one_commit_is_found(tmp_path: Path, secrets: Secrets) -> None:
    subprocess.run([*GIT, "init", "-q", tmp_path], check=True, timeout=60)
    slip = tmp_path / "reference" / "ex01_sinusoidal.py"
    slip.parent.mkdir()
    shutil.copy(ROOT / "reference" / slip.name, slip)
    for arguments in (["add", "."], ["commit", "-qm", "Slip"], ["rm", "-q", "-r", "."], ["commit", "-qm", "Mend"]):
        subprocess.run([*GIT, "-C", tmp_path, *arguments], check=True, timeout=60)
    objects, paths = git_objects(tmp_path)
    assert not slip.exists()
    assert [line for line in leaks(objects, secrets) if "has a line of reference/ex01_sinusoidal.py" in line]
    assert [path for path in paths if NEVER.search(path)]


def test_there_is_a_lot_to_be_found(secrets: Secrets) -> None:
    """Or the search would be for nothing: an exception too many above, a folder that is called otherwise by now."""
    sources = set(secrets.lines.values())
    for folder in ("reference", *(f"graders/{path.name}" for path in (ROOT / "graders").glob("ex*"))):
        assert [path for path in sources if path.startswith(f"{folder}/")], folder
    rubric = yaml.safe_load((ROOT / "grading.yaml").read_text(encoding="utf-8"))["exercises"]
    hidden = {name for block in rubric.values() for name in block["hidden"]}
    assert len({word for word in secrets.words if word.removeprefix("check_") in hidden}) > len(hidden)
    assert len(secrets.titles) > 0.9 * sum(len(block["hidden"]) for block in rubric.values())
    assert {"TokenPosEmbedding", "apply_rope"} <= secrets.solutions


# ------------------------------------------------------------ what is in it, sealed


@pytest.fixture(scope="module")
def whole(released: Released, command_line: CommandLine) -> Path:
    """The private course, opened."""
    done = command_line.run(released.folder, "unseal", "whole", "--key", released.key, "--course", "course")
    assert done.returncode == 0, done.stderr
    return released.folder / "whole"


def test_the_private_files_are_sealed_in_it(whole: Path) -> None:
    rubric = yaml.safe_load((ROOT / "grading.yaml").read_text(encoding="utf-8"))
    held = everything_in(whole)
    for slug in rubric["exercises"]:
        assert f"graders/{slug}/hidden.py" in held
        assert [path for path in held if path.startswith(f"reference/{slug}")]
    stubs = {path for path in held if path.startswith("exercises/")}
    assert {path for path in held.keys() - stubs if held[path] != (ROOT / path).read_bytes()} == set()
    assert not [path for path in held if re.search(r"wrong\.yaml|right/|figure\.py|drawing\.py|tests/|engine/", path)]


def test_the_first_key_opens_it_no_longer(released: Released, command_line: CommandLine) -> None:
    arguments = ("unseal", "other", "--key", "first.key", "--course", "course")
    assert "sealed to another key" in command_line.run(released.folder, *arguments).stderr


# ------------------------------------------------------------ that it works


@pytest.fixture
def fork(released: Released, tmp_path: Path) -> Path:
    """A copy elsewhere, without its history."""
    return shutil.copytree(released.tree, tmp_path / "fork", ignore=shutil.ignore_patterns(".git"))


@pytest.fixture
def solved(tmp_path: Path) -> Path:
    """A folder with what we wish students had handed in."""
    (tmp_path / "ada").mkdir()
    return shutil.copytree(ROOT / "reference", tmp_path / "ada" / "exercises")


def card_in(path: Path) -> Any:
    """A card without what differs from run to run: how long each check took."""
    card = json.loads(path.read_text(encoding="utf-8"))
    for exercise in card["exercises"]:
        for check in exercise["checks"]:
            del check["seconds"]
    return card


def test_an_untouched_copy_is_graded_and_earns_nothing(fork: Path, command_line: CommandLine) -> None:
    done = command_line.grade(fork, "exercises", "--course", ".", "--json", "card.json")
    assert done.returncode == NOT_ALL_PASSED, done.stderr
    card = card_in(fork / "card.json")
    assert (card["points"], card["bonus"]["points"], card["max_points"]) == (0, 0, 100)
    assert {check["verdict"] for exercise in card["exercises"] for check in exercise["checks"]} <= {
        "todo", "blocked", "fail", "waiting"
    }  # fmt: skip


def test_its_own_engine_runs_in_a_process_of_its_own(fork: Path) -> None:
    shutil.copy(ROOT / "reference" / "ex01_sinusoidal.py", fork / "exercises")
    done = command(fork, "grade", "exercises", "-e", "ex01", PYTHONPATH=str(fork))
    assert done.returncode == ALL_PASSED, done.stderr


def test_a_solved_copy_has_full_marks_and_the_same_card_as_upstream(
    fork: Path, solved: Path, command_line: CommandLine
) -> None:
    for course, name in ((fork, "fork.json"), (ROOT, "upstream.json")):
        done = command_line.grade(solved.parent, "exercises", "--course", course, "--seed", 5, "--json", name)
        assert done.returncode == ALL_PASSED, done.stdout + done.stderr
    card = card_in(solved.parent / "fork.json")
    assert card == card_in(solved.parent / "upstream.json")
    checks = [check for exercise in card["exercises"] for check in exercise["checks"] if check["verdict"] != "waiting"]
    assert all(check["points"] == check["max_points"] and check["verdict"] == "pass" for check in checks)


def test_hidden_checks_run_once_they_are_opened(
    whole: Path, fork: Path, solved: Path, command_line: CommandLine
) -> None:
    hidden = ("exercises", "-e", "ex02", "--hidden", "--isolation", "external", "--seed", 5, "--json")
    for course, name in ((whole, "whole.json"), (ROOT, "upstream.json")):
        done = command_line.grade(solved.parent, *hidden, name, "--course", course)
        assert done.returncode == ALL_PASSED, done.stdout + done.stderr
    card = card_in(solved.parent / "whole.json")
    assert card == card_in(solved.parent / "upstream.json")
    assert (card["points"], card["max_points"]) == (25, 25)
    done = command_line.grade(solved.parent, *hidden, "no.json", "--course", fork)
    assert (done.returncode, done.stdout) == (NOTHING_GRADED, "")
    assert "`grade unseal DIR`" in done.stderr


def test_what_its_pages_link_to_is_there_and_what_they_tell_to_run_exists(released: Released) -> None:
    makefile = (released.tree / "Makefile").read_text(encoding="utf-8")
    for page in ("README.md", "exercises/README.md", "exercises/CHANGELOG.md"):
        text = (released.tree / page).read_text(encoding="utf-8")
        for target in re.findall(r"\]\(([^)#:]+)\)", text):
            assert (released.tree / page).parent.joinpath(target).exists(), f"{page}: {target}"
        for target in re.findall(r"(?:^|`)make (\w+)", text, flags=re.MULTILINE):
            assert re.search(rf"^{target}:", makefile, flags=re.MULTILINE), f"{page}: make {target}"

"""The command `grade share`: one card for others, one for whoever has the key."""

import shutil
from pathlib import Path

import pytest

from graders.engine.deliver.release.record import RECORD, Release, record_to_json
from graders.engine.deliver.seal import Key, new_key, unseal
from graders.engine.score.card import Card, card_from_json, card_to_json
from graders.engine.score.sharing import share
from tests.command_line import ALL_PASSED, NOTHING_GRADED, ROOT, CommandLine
from tests.score.test_sharing import card


@pytest.fixture
def key() -> Key:
    return new_key()


@pytest.fixture
def course(tmp_path: Path, key: Key) -> Path:
    """A course that was released to a key, as far as this command looks at it."""
    folder = tmp_path / "course"
    (folder / "graders").mkdir(parents=True)
    shutil.copy(ROOT / "grading.yaml", folder)
    released = Release(recipient=key.recipient, files={})
    (folder / RECORD).write_bytes(record_to_json(released))
    return folder


@pytest.fixture
def whole(tmp_path: Path) -> Card:
    (tmp_path / "whole.json").write_text(card_to_json(card(5)), encoding="utf-8")
    return card(5)


def test_two_cards_are_made_of_one(
    tmp_path: Path, course: Path, key: Key, whole: Card, command_line: CommandLine
) -> None:
    done = command_line.run(
        tmp_path, "share", "whole.json", "--json", "card.json", "--sealed", "card.json.age", "--course", course
    )
    assert (done.returncode, done.stdout) == (ALL_PASSED, "Wrote card.json; 7 checks are left out of it.\n")
    assert card_from_json((tmp_path / "card.json").read_text(encoding="utf-8")) == share(whole, "band")
    sealed = (tmp_path / "card.json.age").read_bytes()
    assert b"secret" not in sealed
    assert len(unseal(sealed, key.identity)) == 2**20
    assert card_from_json(unseal(sealed, key.identity).decode()) == whole


def test_the_course_says_what_is_told(tmp_path: Path, course: Path, whole: Card, command_line: CommandLine) -> None:
    rubric = course / "grading.yaml"
    rubric.write_text(rubric.read_text(encoding="utf-8").replace("hidden: band", "hidden: points"), encoding="utf-8")
    done = command_line.run(tmp_path, "share", "whole.json", "--json", "card.json", "--course", course)
    assert done.stdout == "Wrote card.json; 0 checks are left out of it.\n"
    assert card_from_json((tmp_path / "card.json").read_text(encoding="utf-8")) == whole


@pytest.mark.usefixtures("whole")
def test_without_anybody_to_seal_to_nothing_is_written(tmp_path: Path, course: Path, command_line: CommandLine) -> None:
    (course / RECORD).write_bytes(record_to_json(Release(recipient=None, files={})))
    done = command_line.run(
        tmp_path, "share", "whole.json", "--json", "card.json", "--sealed", "card.json.age", "--course", course
    )
    assert done.returncode == NOTHING_GRADED
    assert (
        "names nobody to seal to; run this in the course that `grade release DIR --recipient AGE` wrote" in done.stderr
    )
    assert "or give --course DIR" in done.stderr
    assert not (tmp_path / "card.json").exists()
    assert not (tmp_path / "card.json.age").exists()


@pytest.mark.usefixtures("whole")
@pytest.mark.parametrize("options", [["--json", "no/card.json"], ["--json", "card.json", "--sealed", "no/card.age"]])
def test_what_cannot_be_written_is_told(
    tmp_path: Path, course: Path, command_line: CommandLine, options: list[str]
) -> None:
    done = command_line.run(tmp_path, "share", "whole.json", *options, "--course", course)
    assert done.returncode == NOTHING_GRADED
    assert "cannot be written" in done.stderr


@pytest.mark.usefixtures("whole")
@pytest.mark.parametrize("name", ["card.json", "card.json.age"])
def test_a_full_disk_leaves_what_was_there(
    tmp_path: Path, course: Path, command_line: CommandLine, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["share", "whole.json", "--json", "card.json", "--sealed", "card.json.age", "--course", course]
    assert command_line.run(tmp_path, *words).returncode == ALL_PASSED
    before = {path: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}
    replace = Path.replace

    def full(draft: Path, target: Path) -> Path:
        if target.name == name:
            raise OSError(28, "No space left on device")
        return replace(draft, target)

    monkeypatch.setattr(Path, "replace", full)
    done = command_line.run(tmp_path, *words)
    option = "--json" if name == "card.json" else "--sealed"
    assert (done.returncode, done.stdout) == (NOTHING_GRADED, "")
    assert f"{option} {name} cannot be written: No space left on device" in done.stderr
    assert {path for path in tmp_path.iterdir() if path.is_file()} == before.keys()
    assert (tmp_path / name).read_bytes() == before[tmp_path / name]


def test_how_long_a_card_is_does_not_show_once_it_is_sealed(
    tmp_path: Path, course: Path, key: Key, whole: Card, command_line: CommandLine
) -> None:
    sizes = set()
    for length in (1, 200):
        longer = whole.model_copy(update={"student": "a" * length})
        (tmp_path / "whole.json").write_text(card_to_json(longer), encoding="utf-8")
        done = command_line.run(
            tmp_path, "share", "whole.json", "--json", "card.json", "--sealed", "card.json.age", "--course", course
        )
        assert done.returncode == ALL_PASSED, done.stderr
        sizes.add(len(unseal((tmp_path / "card.json.age").read_bytes(), key.identity)))
    assert len(sizes) == 1


@pytest.mark.usefixtures("whole")
@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--json", "whole.json"], "--json whole.json is the same file as CARD"),
        (["--json", "card.json", "--sealed", "link.json"], "--sealed link.json is the same file as CARD"),
        (["--json", "card.json", "--sealed", "./card.json"], "--sealed card.json is the same file as --json"),
    ],
)
def test_no_card_is_written_over_another(
    tmp_path: Path, course: Path, command_line: CommandLine, options: list[str], words: str
) -> None:
    (tmp_path / "link.json").symlink_to("whole.json")
    before = (tmp_path / "whole.json").read_bytes()
    done = command_line.run(tmp_path, "share", "whole.json", *options, "--course", course)
    assert (done.returncode, done.stdout) == (NOTHING_GRADED, "")
    assert words in done.stderr
    assert (tmp_path / "whole.json").read_bytes() == before
    assert not (tmp_path / "card.json").exists()


def test_what_is_no_card_is_refused(tmp_path: Path, course: Path, command_line: CommandLine) -> None:
    (tmp_path / "whole.json").write_text("{}", encoding="utf-8")
    done = command_line.run(tmp_path, "share", "whole.json", "--json", "card.json", "--course", course)
    assert (done.returncode, (tmp_path / "card.json").exists()) == (NOTHING_GRADED, False)

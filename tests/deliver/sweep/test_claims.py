"""What a fork claims of itself is a stranger's data: it is kept where it is a card, and counts for nothing."""

import io
import json
import zipfile
from pathlib import Path

import pytest

from graders.engine.deliver.github.sweep import claims, optional
from graders.engine.deliver.github.sweep.claims import NoCardError, read_card
from graders.engine.score.card import Card, card_from_json, card_to_json
from tests.github import small_course
from tests.github.state import Artifact, Fault
from tests.github.sweeping import findings, listed, swept
from tests.github.world import World


@pytest.fixture
def claimed(tmp_path: Path) -> Card:
    """The card of a run in a fork."""
    return small_course.practice_card(small_course.rubric(tmp_path, small_course.PUBLIC), "c" * 40, "eve")


def archive(*members: tuple[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", method) as packed:
        for name, content in members:
            packed.writestr(name, content)
    return data.getvalue()


def kept() -> dict[str, Card]:
    return {path.stem: card_from_json(path.read_text(encoding="utf-8")) for path in Path("out/claims").iterdir()}


def handed_in(world: World, student: str, *artifacts: Artifact) -> str:
    fork = world.fork(f"{student}/course")
    sha = world.push(fork, student.encode())
    for artifact in artifacts:
        artifact.sha = artifact.sha or sha
        fork.artifacts.append(artifact)
    return sha


def test_the_newest_card_of_the_commit_is_kept_as_a_claim_for_it(world: World, claimed: Card) -> None:
    content = archive(("card.json", card_to_json(claimed).encode()))
    sha = handed_in(
        world,
        "ada",
        Artifact(1, "", archive(("card.json", b"{}"))),
        Artifact(2, "", content),
        Artifact(3, "d" * 40, archive(("card.json", b"of another commit"))),
        Artifact(4, "", archive(("card.json", b"gone")), expired=True),
        Artifact(5, "", archive(("card.json", b"of another name")), name="card"),
    )
    swept(world)
    assert kept() == {"ada": claimed.model_copy(update={"grader": claimed.grader.model_copy(update={"commit": sha})})}
    assert listed().items[0].findings == ()
    world.github.requests.clear()
    swept(world)
    assert not [request for request in world.github.requests if "/actions/" in request.path], "it is there already"


def test_a_claim_for_a_commit_that_counts_no_longer_is_dropped(world: World, claimed: Card) -> None:
    handed_in(world, "ada", Artifact(1, "", archive(("card.json", card_to_json(claimed).encode()))))
    swept(world)
    world.push(world.github.repository("ada/course"), b"newer")
    (Path("out/claims") / "nobody.json").write_text("{}", encoding="utf-8")
    swept(world)
    assert kept() == {}


def encrypted() -> bytes:
    data = bytearray(archive(("card.json", b"{}")))
    data[6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    return bytes(data)


BOMB = archive(("card.json", b" " * 50_000_000))
NONE = [
    pytest.param(b"", "no archive that can be read", id="nothing"),
    pytest.param(b"PK\x03\x04" * 100, "no archive that can be read", id="no archive"),
    pytest.param(archive(("card.json", b"{}"))[:-30], "no archive that can be read", id="cut"),
    pytest.param(archive(("../../../card.json", b"{}")), "not card.json alone", id="elsewhere"),
    pytest.param(archive(("card.json", b"{}"), ("x", b"")), "not card.json alone", id="two"),
    pytest.param(archive(), "not card.json alone", id="none"),
    pytest.param(archive(("card.json", b"{}"), method=zipfile.ZIP_LZMA), "packed in an unusual way", id="LZMA"),
    pytest.param(encrypted(), "no archive that can be read", id="encrypted"),
    pytest.param(BOMB, "more than 4194304 bytes", id="bomb"),
    pytest.param(archive(("card.json", b"{}")), "no score card of this version", id="no card"),
    pytest.param(archive(("card.json", b"[" * 100_000)), "no score card of this version", id="brackets"),
    pytest.param(archive(("card.json", b"\xff")), "no score card of this version", id="no text"),
]


@pytest.mark.parametrize(("content", "why"), NONE)
def test_what_is_no_card_is_none(content: bytes, why: str) -> None:
    assert len(content) < claims.MOST_BYTES
    with pytest.raises(NoCardError) as refused:
        read_card(content)
    assert str(refused.value) == why


def test_what_is_no_card_is_told_of(world: World) -> None:
    handed_in(world, "ada", Artifact(1, "", b"nonsense"))
    handed_in(world, "ben", Artifact(2, "", b"x" * (claims.MOST_BYTES + 1)))
    swept(world)
    assert findings("ada") == {"other": "the practice-card of ada/course is no card, but no archive that can be read"}
    assert findings("ben") == {"other": "the practice-card of ben/course is no card, but 4194305 bytes"}
    assert not [request for request in world.github.requests if request.path.endswith("/2/zip")]
    assert kept() == {}


def test_what_lies_about_its_size_is_not_read_to_its_end(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claims, "MOST_BYTES", 100)
    small = Artifact(1, "", b"x" * 10)
    handed_in(world, "ada", small)
    handed_in(world, "ben", Artifact(2, "", b"nonsense"))

    def grow(request: object) -> None:
        small.content = b"x" * 10 if "zip" not in str(request) else b"x" * 1_000

    world.github.before = grow
    swept(world)
    assert findings("ada")["other"].endswith("is no card, but more than 100 bytes")
    assert findings("ben")["other"].endswith("no archive that can be read"), "and those of others are looked up"


def test_a_file_that_is_not_there_costs_nothing_else(world: World) -> None:
    handed_in(world, "ada", Artifact(1, "", b"x"))
    world.github.faults.append(
        Fault(302, {"location": f"{world.github.storage}/9?signature=of-this-file"}, path=r"/1/zip")
    )
    swept(world)
    assert findings("ada")["other"].endswith("is no card, but the server that has the file answered 404")


@pytest.mark.parametrize("place", ["ftp://127.0.0.1/x", "file:///etc/passwd", "//elsewhere"])
def test_only_addresses_of_the_web_are_asked(place: str, world: World) -> None:
    handed_in(world, "ada", Artifact(1, "", b"x"))
    world.github.faults.append(Fault(302, {"location": place}, path=r"/1/zip"))
    ended, _ = swept(world)
    assert "sends us to an address for a file that is none of https; nothing was asked there" in ended.stdout


def test_a_token_that_may_not_see_runs_is_noticed(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(optional, "MOST_REFUSALS", 2)
    for number in range(3):
        handed_in(world, f"student{number}")
    world.github.faults += [Fault(403, path=r"/actions/artifacts") for _ in range(3)]
    ended, _ = swept(world)
    assert "the own runs of 1 of 3 forks were not looked up: GitHub does not show them to this token" in ended.stdout
    assert json.loads(Path("out/submissions.json").read_text(encoding="utf-8"))["items"][2]["sha"]

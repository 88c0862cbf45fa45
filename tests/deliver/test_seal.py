"""What is sealed can be opened by one key alone, and no message tells a key."""

import builtins

import pytest

from graders.engine.deliver.seal import new_key, padded, seal, unseal
from graders.engine.errors import UsageError


def test_what_was_sealed_comes_back():
    key = new_key()
    for data in (b"", b"a card", bytes(range(256)) * 5000):
        sealed = seal(data, key.recipient)
        assert data[:40] not in sealed or not data
        assert unseal(sealed, key.identity) == data


def test_the_same_is_sealed_otherwise_each_time():
    key = new_key()
    assert seal(b"a card", key.recipient) != seal(b"a card", key.recipient)


def test_a_key_file_opens_with_its_comments_and_line_ends():
    key = new_key()
    text = f"# made today\r\n# public key: {key.recipient}\r\n\r\n{key.identity}\r\n"
    assert unseal(seal(b"a card", key.recipient), text) == b"a card"


@pytest.mark.parametrize(("length", "pages"), [(0, 0), (1, 1), (2**20, 1), (2**20 + 1, 2), (2_500_000, 3)])
def test_padding_hides_how_long_it_is_and_leaves_what_it_says(length, pages):
    data = b"x" * length
    assert len(padded(data)) == pages * 2**20
    assert padded(data).rstrip(b" ") == data


def test_each_key_is_another_and_shows_its_public_half_alone():
    first, second = new_key(), new_key()
    assert first.identity != second.identity
    assert first.recipient in repr(first)
    assert first.identity not in repr(first)


def test_another_key_does_not_open_it():
    key, other = new_key(), new_key()
    sealed = seal(b"a card", key.recipient)
    with pytest.raises(UsageError, match="sealed to another key") as caught:
        unseal(sealed, other.identity)
    assert other.identity not in str(caught.value)


@pytest.mark.parametrize("harm", ["cut", "bent", "longer", "empty", "plain"])
def test_what_is_damaged_is_not_opened(harm):
    key = new_key()
    sealed = seal(b"a card" * 100, key.recipient)
    bent = sealed[:-30] + bytes([sealed[-30] ^ 1]) + sealed[-29:]
    harmed = {"cut": sealed[:-9], "bent": bent, "longer": sealed + b"x", "empty": b"", "plain": b"a card"}[harm]
    with pytest.raises(UsageError, match="never sealed, or is damaged"):
        unseal(harmed, key.identity)


@pytest.mark.parametrize("odd", ["", "# a comment", "no key", "AGE-SECRET-KEY-1QQQQ", "é\0", "two\nlines"])
def test_what_is_no_key_is_said_without_repeating_it(odd):
    with pytest.raises(UsageError, match="the key is no age identity") as caught:
        unseal(seal(b"a card", new_key().recipient), odd)
    assert odd == "" or odd not in str(caught.value)
    assert caught.value.__suppress_context__


def test_half_a_key_is_not_told():
    identity = new_key().identity
    with pytest.raises(UsageError) as caught:
        unseal(b"", identity[:-4])
    assert identity[20:40] not in str(caught.value)


@pytest.mark.parametrize("odd", ["", "age1", "age1" + "q" * 58, "ssh-ed25519 AAAA", "é"])
def test_what_is_no_recipient_is_refused(odd):
    with pytest.raises(UsageError, match="the recipient is none of age; expected age1"):
        seal(b"a card", odd)


def test_a_secret_given_for_a_recipient_is_refused_and_not_told():
    identity = new_key().identity
    with pytest.raises(UsageError, match="that is a secret identity") as caught:
        seal(b"a card", identity)
    assert identity not in str(caught.value)


def test_without_the_library_it_says_how_to_get_it(monkeypatch):
    real = builtins.__import__

    def without(name, *arguments, **options):
        if name == "pyrage":
            raise ModuleNotFoundError(name)
        return real(name, *arguments, **options)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(UsageError, match="sealing needs pyrage; run"):
        new_key()

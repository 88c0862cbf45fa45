"""Seals data to a key with age, and opens it again: hidden checks and whole cards can lie where everybody reads.

No message names a key: what is wrong with one is said without it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NewType, Protocol, cast

from graders.engine.errors import UsageError

PAGE = 1024 * 1024
IDENTITY_BEGINS, RECIPIENT_BEGINS = "AGE-SECRET-KEY-1", "age1"


@dataclass(frozen=True, slots=True)
class Key:
    """The identity opens, and is secret; the recipient seals, and may be published."""

    identity: str = field(repr=False)
    recipient: str


_Recipient = NewType("_Recipient", object)


class _Identity(Protocol):
    def to_public(self) -> _Recipient: ...


class _Recipients(Protocol):
    def from_str(self, text: str, /) -> _Recipient: ...


class _Identities(Protocol):
    def from_str(self, text: str, /) -> _Identity: ...
    def generate(self) -> _Identity: ...


class _Pairs(Protocol):
    """The one kind of keys that is used here."""

    Identity: _Identities
    Recipient: _Recipients


class _Age(Protocol):
    """As much of the library as is used: it comes without types."""

    x25519: _Pairs
    IdentityError: type[Exception]
    RecipientError: type[Exception]
    DecryptError: type[Exception]

    def encrypt(self, data: bytes, recipients: Sequence[_Recipient], /) -> bytes: ...
    def decrypt(self, data: bytes, identities: Sequence[_Identity], /) -> bytes: ...


def new_key() -> Key:
    """A key that nobody has had before."""
    identity = _age().x25519.Identity.generate()
    return Key(str(identity), str(identity.to_public()))


def seal(data: bytes, recipient: str) -> bytes:
    """The data, for the holder of the recipient's identity alone; raises UsageError for what is no recipient."""
    return _age().encrypt(data, [_recipient(recipient)])


def padded(json: bytes) -> bytes:
    """The JSON with blanks behind it, which mean nothing there: its length is a whole number of MiB, and tells less."""
    return json + b" " * (-len(json) % PAGE)


def require_recipient(recipient: str) -> None:
    """Raise UsageError for what nothing can be sealed to."""
    _recipient(recipient)


def unseal(data: bytes, identity: str) -> bytes:
    """What was sealed. The identity may come with the comments of its file.

    Raises UsageError if that is no identity, or not the right one, or if the data have been damaged or were never
    sealed.
    """
    age = _age()
    lines = [line.strip() for line in identity.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    try:
        (line,) = lines
        opener = age.x25519.Identity.from_str(line)
    except (ValueError, age.IdentityError):
        # Not even as the cause: what others print of it could quote the key.
        raise UsageError(
            f"the key is no age identity; expected one line that begins with {IDENTITY_BEGINS}, as `grade keygen` "
            "writes it"
        ) from None
    try:
        return age.decrypt(data, [opener])
    except age.DecryptError as error:
        if "matching key" in str(error):
            raise UsageError(
                "this was sealed to another key; expected the identity of the recipient in graders/release.json"
            ) from error
        raise UsageError(f"this can't be opened: it was never sealed, or is damaged ({error})") from error


def _recipient(text: str) -> _Recipient:
    age = _age()
    if text.startswith(IDENTITY_BEGINS):
        raise UsageError(
            f"that is a secret identity; expected its recipient, which begins with {RECIPIENT_BEGINS}. Make a new key "
            "if others may have seen this one"
        )
    try:
        return age.x25519.Recipient.from_str(text)
    except age.RecipientError:
        raise UsageError(
            f"the recipient is none of age; expected {RECIPIENT_BEGINS} and 58 letters and digits, as `grade keygen` "
            "prints it"
        ) from None


def _age() -> _Age:
    """The library: of those who run a course alone, and so not everybody has it."""
    try:
        import pyrage  # type: ignore[import-untyped]
    except ModuleNotFoundError as error:
        raise UsageError(
            'sealing needs pyrage; run `pip install -c constraints.txt -e ".[staff]"` in this environment'
        ) from error
    return cast(_Age, pyrage)

"""Tokens: who may play, and who may only look on; kept hashed in a file that only its owner can read."""

import fcntl
import hashlib
import hmac
import json
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import BinaryIO, Literal

from pydantic import Field

from firstmover.core.documents import Specification
from firstmover.core.errors import InvalidInput, StoreUnavailable, unknown_name
from firstmover.core.files import atomic_file

Role = Literal["owner", "reader"]
ROLES: dict[str, Role] = {"owner": "owner", "reader": "reader"}

PREFIX = "fm_"
"""What every token begins with, so that one that was left somewhere is known for what it is."""


@dataclass(frozen=True)
class Token:
    """One token without its secret: what is kept of it."""

    id: str
    role: Role
    label: str
    created: str
    expires: str | None
    hash: str

    def holds(self, now: str) -> bool:
        """Whether it has not expired."""
        return self.expires is None or now < self.expires


class _Entry(Specification):
    id: str = Field(pattern=r"^[0-9a-f]{8}$")
    role: Role
    label: str
    created: str
    expires: str | None = Field(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$")
    hash: str = Field(pattern=r"^[0-9a-f]{64}$")


class _File(Specification):
    version: Literal[1]
    tokens: list[_Entry]


def _now() -> datetime:
    return datetime.now(UTC)


def _text(moment: datetime) -> str:
    return moment.isoformat(timespec="seconds")


def _later(moment: datetime, days: float) -> datetime:
    try:
        return moment + timedelta(days=days)
    except (OverflowError, ValueError):
        raise InvalidInput(f"days is {days:g}: give a number that ends before the year 9999.") from None


def hashed(secret: str) -> str:
    """SHA-256: a token is 256 random bits, so nothing slower is needed."""
    return hashlib.sha256(secret.encode()).hexdigest()


class Tokens:
    """The tokens of one file, read again whenever it has changed.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     tokens = Tokens(f"{folder}/tokens.json")
    ...     secret, token = tokens.new("reader", "the wall screen")
    ...     tokens.role_of(secret), tokens.role_of("fm_guess"), tokens.revoke(token.id), tokens.role_of(secret)
    ('reader', None, True, None)
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._read: tuple[tuple[int, int, int], list[Token]] = (0, 0, 0), []

    def new(self, role: str, label: str = "", days: float | None = None) -> tuple[str, Token]:
        """A new token and what is kept of it; the secret itself is shown this once."""
        if role not in ROLES:
            raise unknown_name("role", role, ROLES)
        if not label.isprintable() or len(label) > 80:
            raise InvalidInput(f"label is {label!r}: give at most 80 printable characters.")
        secret, now = PREFIX + secrets.token_urlsafe(32), _now()
        created, expires = _text(now), None if days is None else _text(_later(now, days))
        token = Token(secrets.token_hex(4), ROLES[role], label, created, expires, hashed(secret))
        with self._alone():
            kept = [other for other in self.all() if other.holds(created)]
            self._write([*kept, token])
        return secret, token

    def revoke(self, token_id: str) -> bool:
        """Take a token back; whether there was one of this id."""
        with self._alone():
            tokens = self.all()
            kept = [token for token in tokens if token.id != token_id]
            if len(kept) == len(tokens):
                return False
            self._write(kept)
            return True

    def all(self) -> list[Token]:
        """All tokens of the file, the oldest first; none if there is no file."""
        try:
            with open(self.path, "rb", opener=_unfollowed) as opened:
                return list(self._of(opened))
        except FileNotFoundError:
            return []
        except OSError as error:
            raise InvalidInput(f"token file {str(self.path)!r} cannot be read: {error.strerror}.") from None

    def _of(self, opened: BinaryIO) -> list[Token]:
        found = os.fstat(opened.fileno())
        if not stat.S_ISREG(found.st_mode):
            raise InvalidInput(f"token file {str(self.path)!r} is no plain file: move it away.")
        if found.st_mode & 0o077 or found.st_uid != os.geteuid():
            raise InvalidInput(
                f"token file {str(self.path)!r} can be read by others than you: make it yours alone (chmod 600), "
                "revoke what is in it, and make new tokens."
            )
        seen, known = (found.st_ino, found.st_mtime_ns, found.st_size), self._read
        if seen != known[0]:
            known = self._read = seen, _tokens(opened.read(), self.path)  # as one, for threads that read at once
        return known[1]

    def role_of(self, secret: str) -> Role | None:
        """What the holder of a secret may be; every token is compared, each in constant time."""
        given, now, role = hashed(secret), _text(_now()), None
        for token in self.all():
            if hmac.compare_digest(token.hash, given) and token.holds(now):
                role = token.role
        return role

    def _write(self, tokens: list[Token]) -> None:
        text = json.dumps({"version": 1, "tokens": [asdict(token) for token in tokens]}, indent=1)
        try:
            with atomic_file(self.path, mode=0o600) as file:
                file.write(text.encode())
        except InvalidInput as error:
            raise StoreUnavailable(f"token file {error}") from None

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """While the block lasts no other process changes the file."""
        try:
            folder = os.open(self.path.absolute().parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            raise InvalidInput(f"folder of {str(self.path)!r} cannot be used: {error.strerror}.") from None
        try:
            fcntl.flock(folder, fcntl.LOCK_EX)
            yield
        finally:
            os.close(folder)


def _unfollowed(path: str, flags: int) -> int:
    """Opens neither what a link names nor, waiting for ever, a pipe."""
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)


def _tokens(content: bytes, path: Path) -> list[Token]:
    try:
        file = _File.model_validate_json(content)
    except ValueError:
        raise InvalidInput(f"token file {str(path)!r} is not one of firstmover's: move it away.") from None
    return [Token(**entry.model_dump()) for entry in file.tokens]

"""Tokens of owners, operators and readers, with their expiry, hashed in a file that only its owner can read."""

import fcntl
import hashlib
import hmac
import json
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import BinaryIO, Literal, get_args

from pydantic import Field

from firstmover.core.documents import Specification
from firstmover.core.errors import InvalidInput, StoreUnavailable, unknown_name
from firstmover.core.files import atomic_file

Role = Literal["owner", "operator", "reader"]
"""An owner may do everything; an operator plays rounds; a reader sees what an opponent may see."""
ROLES: tuple[Role, ...] = get_args(Role)

PREFIX = "fm_"  # first characters of every token, so that scanners recognise one that leaked

PAGE, PAGE_DAYS, MOST_PAGES = "page", 30.0, 5
"""Label and validity of the tokens of pages, so that an open page reconnects after a restart, and how many are kept."""


class Token(Specification):
    """A token without its secret, as the file stores it."""

    id: str = Field(pattern=r"^[0-9a-f]{8}$")
    role: Role
    label: str
    created: str
    expires: str | None = Field(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$")
    hash: str = Field(pattern=r"^[0-9a-f]{64}$")

    @property
    def name(self) -> str:
        """The label, or the id of a token without one."""
        return self.label.strip() or f"token {self.id}"

    def is_valid(self, now: str) -> bool:
        """Return whether the token has not expired."""
        return self.expires is None or now < self.expires


class _File(Specification):
    version: Literal[1]
    tokens: list[Token]


def _text(moment: datetime) -> str:
    return moment.isoformat(timespec="seconds")


def hashed(secret: str) -> str:
    """SHA-256: a token is 256 random bits, so nothing slower is needed."""
    return hashlib.sha256(secret.encode()).hexdigest()


class Tokens:
    """The tokens of one file, read again whenever it has changed.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     tokens = Tokens(f"{folder}/tokens.json")
    ...     secret, token = tokens.new("reader", "the wall screen")
    ...     tokens.find(secret).name, tokens.find("fm_guess"), tokens.revoke(token.id), tokens.find(secret)
    ('the wall screen', None, True, None)
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._read: tuple[tuple[int, int, int], list[Token]] = (0, 0, 0), []

    def new(self, role: str, label: str = "", days: float | None = None) -> tuple[str, Token]:
        """Return a new secret, which is stored nowhere, and its token."""
        if role not in ROLES:
            raise unknown_name("role", role, ROLES)
        if not label.isprintable() or len(label) > 80:
            raise InvalidInput(f"label is {label!r}: give at most 80 printable characters.")
        secret, now = PREFIX + secrets.token_urlsafe(32), datetime.now(UTC)
        try:
            created, expires = _text(now), None if days is None else _text(now + timedelta(days=days))
        except (OverflowError, ValueError):
            raise InvalidInput(f"days is {days:g}: give a number of days that ends before the year 9999.") from None
        about = {"role": role, "label": label, "created": created, "expires": expires}
        token = Token.read(about | {"id": secrets.token_hex(4), "hash": hashed(secret)})
        with self._locked():
            kept = [other for other in self.all() if other.is_valid(created)]
            self._write(_without_old_pages([*kept, token]))
        return secret, token

    def new_page_token(self) -> str:
        """Return the secret of a new token for the web app; of more than MOST_PAGES the oldest one ends."""
        return self.new("owner", PAGE, PAGE_DAYS)[0]

    def revoke(self, token_id: str) -> bool:
        """Delete a token; return whether there was one of this id."""
        with self._locked():
            tokens = self.all()
            kept = [token for token in tokens if token.id != token_id]
            if len(kept) == len(tokens):
                return False
            self._write(kept)
            return True

    def all(self) -> list[Token]:
        """Return all tokens of the file, the oldest first; none if there is no file."""
        try:
            with open(self.path, "rb", opener=_unfollowed) as opened:
                return list(self._read_tokens(opened))
        except FileNotFoundError:
            return []
        except OSError as error:
            raise InvalidInput(f"token file {str(self.path)!r} cannot be read: {error.strerror}.") from None

    def _read_tokens(self, opened: BinaryIO) -> list[Token]:
        found = os.fstat(opened.fileno())
        if not stat.S_ISREG(found.st_mode):
            raise InvalidInput(f"token file {str(self.path)!r} is not a regular file: move it away.")
        if found.st_uid != os.geteuid():
            raise InvalidInput(
                f"token file {str(self.path)!r} belongs to another user, who knows its tokens: move it away, and make "
                "new ones."
            )
        if found.st_mode & 0o077:
            raise InvalidInput(
                f"token file {str(self.path)!r} can be read by other users: make it private (chmod 600), "
                "revoke its tokens, and make new ones."
            )
        seen, known = (found.st_ino, found.st_mtime_ns, found.st_size), self._read
        if seen != known[0]:
            try:
                tokens = _File.model_validate_json(opened.read()).tokens
            except ValueError:
                raise InvalidInput(f"token file {str(self.path)!r} is not a token file: move it away.") from None
            known = self._read = seen, tokens  # assigned at once, for threads that read
        return known[1]

    def roles(self) -> dict[str, Role]:
        """Return the role of each name; a name of tokens with several roles has none."""
        found: dict[str, set[Role]] = {}
        for token in self.all():
            found.setdefault(token.name, set()).add(token.role)
        return {name: next(iter(roles)) for name, roles in found.items() if len(roles) == 1}

    def find(self, secret: str) -> Token | None:
        """Return the token of a secret, or None; every token is compared, each in constant time."""
        given, now, found = hashed(secret), _text(datetime.now(UTC)), None
        for token in self.all():
            if hmac.compare_digest(token.hash, given) and token.is_valid(now):
                found = token
        return found

    def _write(self, tokens: list[Token]) -> None:
        text = json.dumps({"version": 1, "tokens": [token.model_dump() for token in tokens]}, indent=1)
        try:
            with atomic_file(self.path, mode=0o600) as file:
                file.write(text.encode())
        except InvalidInput as error:
            raise StoreUnavailable(f"token file {error}") from None

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Lock the file against changes by other processes."""
        try:
            folder = os.open(self.path.absolute().parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            raise InvalidInput(f"folder of {str(self.path)!r} cannot be used: {error.strerror}.") from None
        try:
            fcntl.flock(folder, fcntl.LOCK_EX)
            yield
        finally:
            os.close(folder)


def _without_old_pages(tokens: list[Token]) -> list[Token]:
    pages = [token for token in tokens if token.label == PAGE and token.expires is not None]
    ended = {token.id for token in pages[:-MOST_PAGES]}
    return [token for token in tokens if token.id not in ended]


def _unfollowed(path: str, flags: int) -> int:
    """Open without following a link, and without waiting for a pipe."""
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)

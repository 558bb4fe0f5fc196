"""Files and their content: atomic writes, canonical JSON, hashes."""

import hashlib
import json
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import BinaryIO

from firstmover.core.errors import InvalidInput


@contextmanager
def atomic_file(path: Path, mode: int = 0o666) -> Iterator[BinaryIO]:
    """Open a new file that replaces `path` only when all of it is on disk: write, fsync, rename, fsync the folder.

    `mode` holds the permissions, reduced by the umask. If the block raises, `path` stays as it was.
    """
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_NOFOLLOW", 0)
        with os.fdopen(os.open(part, flags, mode), "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
        sync_folder(path.parent)
    except OSError as error:
        raise InvalidInput(f"{str(path)!r} cannot be written: {error.strerror}; choose another path.") from None
    finally:
        if part.parent.is_dir():
            part.unlink(missing_ok=True)


def read_at_most(file: BinaryIO, most: int, source: str) -> bytes:
    """Read a file, which errors call `source`; one that is larger than this many bytes is not read further."""
    content = file.read(most + 1)
    if len(content) > most:
        raise InvalidInput(f"{source} is larger than {most / 1e6:,.0f} MB: give a smaller one.")
    return content


def sync_folder(folder: Path) -> None:
    """Make renames in a folder survive a power cut, on systems that can open folders."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def canonical_json(value: object) -> str:
    """JSON with sorted keys, no spaces and floats that read back as the same numbers; NaN and inf are rejected.

    >>> canonical_json({"b": 0.1, "a": [1, True]})
    '{"a":[1,true],"b":0.1}'
    """
    try:
        return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)
    except ValueError:
        raise InvalidInput("A number is NaN or infinite: only finite numbers are stored.") from None


def text_hash(text: str) -> str:
    """SHA-256 of a text, in hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()


@cache
def sources_hash(packages: tuple[str, ...]) -> str:
    """SHA-256 of the names and the content of all files in these packages of firstmover, read once per process."""
    root, found = str(Path(__file__).parents[1]), hashlib.sha256()
    for package in packages:
        for folder, below, names in os.walk(f"{root}/{package}"):  # pathlib takes three times as long
            below[:] = sorted(name for name in below if name != "__pycache__")
            for name in sorted(names):
                with open(f"{folder}/{name}", "rb") as file:
                    content = file.read()
                found.update(f"{folder.removeprefix(root)}/{name} {len(content)}\n".encode())
                found.update(content)
    return found.hexdigest()

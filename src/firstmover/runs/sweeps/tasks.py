"""The unit of a sweep: one run, known by the hash of all that decides what it gives."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.metadata import version
from typing import Any


def canonical(document: Mapping[str, Any]) -> str:
    """A document as text, the same for equal documents: names in order, no spaces, numbers with all their digits.

    >>> canonical({"seed": 3, "game": "shore", "β": 0.1})
    '{"game":"shore","seed":3,"β":0.1}'
    """
    return json.dumps(document, sort_keys=True, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def key_of(document: str) -> str:
    """The hash of a document and of this library's version.

    >>> len(key_of("{}")), key_of("{}") == key_of("[]")
    (64, False)
    """
    return hashlib.sha256(f"firstmover {this_version()}\n{document}".encode()).hexdigest()


@cache
def this_version() -> str:
    """This library's version; looking it up takes longer than many a task."""
    return version("firstmover")


@dataclass(frozen=True)
class SweepTask:
    """One run: its document in canonical form, and what its neighbours may share.

    Tasks of one `group` differ in their seed alone and can be played together; None plays alone.
    """

    document: str
    rounds: int
    family: str
    group: str | None = None

    @cached_property
    def key(self) -> str:
        """The name of its result."""
        return key_of(self.document)

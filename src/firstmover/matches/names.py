"""Names of matches and rounds, and of those who act on them."""

import os
import re
from getpass import getuser
from unicodedata import category, normalize

from firstmover.core.errors import InvalidInput, shown

LONGEST = 80

UNWRITABLE = ("Cc", "Cs", "Co", "Cn", "Zl", "Zp")
"""Unicode categories of signs that no name has: control, surrogate, private and unassigned ones, and line breaks."""

LOOK_ALIKE = str.maketrans(
    dict(zip("АВЕЅІЈКМНОРСТХаеѕіјорсухԁԛԝһӏ", "ABESIJKMHOPCTXaesijopcyxdqwhl", strict=True))
    | dict(zip("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧοινυ", "ABEZHIKMNOPTYXoivu", strict=True))
    | dict(zip("ıİ‐‒–—−’‘ʼ“”\u2800", "iI-----'''\"\" ", strict=True))
)
"""Cyrillic and Greek letters, to the Latin ones that they look like in usual fonts; dashes, quotes and a blank."""

INVISIBLE = re.compile(
    r"[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
"""Letters and marks that are printable and never shown: fillers, joiners, and selectors of a variant."""


def writable(name: str) -> bool:
    """Return whether every sign of a name can be written and read again."""
    return not any(category(sign) in UNWRITABLE for sign in name)


def look_alike(one: str, other: str) -> bool:
    """Return whether people may take two names for the same one.

    That is: they are equal without regard to case, width, invisible signs, kind and number of blanks (NFKC and case
    folding), or once Cyrillic and Greek letters, dashes and quotes are replaced by the usual ones that they look like.

    >>> look_alike("Roads", "roads"), look_alike("roads", "r\u043eads"), look_alike("a b", "a\u2003b")
    (True, True, True)
    >>> look_alike("roads", "roads 2"), look_alike("o", "0")
    (False, False)
    """
    return _folded(one) == _folded(other) or _folded(_latin(one)) == _folded(_latin(other))


def _folded(name: str) -> str:
    return " ".join(INVISIBLE.sub("", normalize("NFKC", normalize("NFKC", name).casefold())).split())


def _latin(name: str) -> str:
    return normalize("NFKC", name).translate(LOOK_ALIKE)


def normal_form(name: str) -> str:
    """Return a name in Unicode's normal form C, so that names which look the same are the same.

    >>> normal_form("cafe\u0301") == "caf\u00e9"
    True
    """
    return normalize("NFC", name)


def _one_line(what: str, name: object) -> str:
    """Return a name that fits in one line, and that can be seen."""
    if not isinstance(name, str) or not _fits(name):
        raise InvalidInput(
            f"{what} is {shown(name)}: give 1 to {LONGEST} printable characters, without blanks at the ends."
        )
    return name


def _fits(name: str) -> bool:
    stripped = name.isprintable() and name == name.strip()
    return stripped and 1 <= len(name) <= LONGEST and bool(_folded(_latin(name)))


def checked_name(what: str, name: object) -> str:
    """Return a name that fits in one line and in a URL."""
    name = _one_line(what, name)
    if name in (".", ".."):
        raise InvalidInput(f"{what} is {name!r}: give another, since browsers read this as a relative path.")
    return name


def checked_match_name(name: object, what: str = "name") -> str:
    """Return the name of a match in normal form."""
    return checked_name(what, normal_form(name) if isinstance(name, str) else name)


def checked_actor(actor: object) -> str:
    """Return the name of an actor; without one, that of the user of the operating system."""
    return _user() if actor is None else _one_line("actor", actor)


def _user() -> str:
    """Return the user of this process; its number if it has no name."""
    try:
        name = getuser()
    except (KeyError, OSError, ImportError):
        name = f"user {os.getuid()}"
    return "".join(letter if letter.isprintable() else "?" for letter in name)[:LONGEST].strip() or "unknown"

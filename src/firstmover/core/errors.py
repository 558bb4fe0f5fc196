"""The exceptions that firstmover raises: one clear sentence naming the field, the value and the remedy."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import date
from difflib import get_close_matches
from reprlib import Repr
from typing import Any, TypeVar

Entry = TypeVar("Entry")


class FirstmoverError(Exception):
    """Base class of all errors that firstmover raises; the command line prints it and exits with its code.

    Examples
    --------
    >>> from firstmover import FirstmoverError, Game
    >>> try:
    ...     Game("empty", [], None, None)
    ... except FirstmoverError as error:
    ...     print(error, error.exit_code)
    actions has shape (0,): give an array with 2 dimension(s). 2
    """

    exit_code = 2


class InvalidInput(FirstmoverError, ValueError):  # noqa: N818 - it names what is wrong, as LookupError does
    """A value that cannot be used: the sentence names it and says what to give instead.

    `field` is the path of names to a value of a round, such as ("response", "sold"), for forms that mark it.

    Parameters
    ----------
    sentence
        What was given, what is allowed, and what to do.
    field
        Path of names to a value of a round, such as ("response", "sold"), for forms that mark it.

    Examples
    --------
    >>> from firstmover import LEARNERS
    >>> LEARNERS.find("hedg")
    Traceback (most recent call last):
    ...
    firstmover.core.errors.InvalidInput: Unknown learner 'hedg': did you mean 'hedge'? Known: anytime, auto, ...
    """

    def __init__(self, sentence: str = "", field: tuple[str, ...] = ()) -> None:
        super().__init__(sentence)
        self.field = field


class MissingMatch(InvalidInput):
    """A match that is not in its store, or no longer."""


class PrecisionLost(FirstmoverError, ArithmeticError):  # noqa: N818
    """A factorisation that floating point cannot carry: the sentence names the inputs that collide.

    Examples
    --------
    >>> from firstmover import PrecisionLost
    >>> issubclass(PrecisionLost, ArithmeticError)
    True
    """


class Conflict(FirstmoverError):  # noqa: N818
    """Something else was recorded before: the sentence names both values and says what to do.

    Where there are values, programs find them in `recorded` and `given`.
    """

    exit_code = 3

    def __init__(
        self, sentence: str, recorded: Mapping[str, Any] | None = None, given: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(sentence)
        self.recorded, self.given = recorded, given


class Overtaken(Conflict):
    """Another process recorded an event first: the same call may be repeated."""


class DamagedStore(FirstmoverError):  # noqa: N818
    """A journal whose content is damaged: nothing is read from it or added to it."""

    exit_code = 4


class StoreUnavailable(FirstmoverError):  # noqa: N818
    """A store that cannot be reached or written now: the same call may be repeated."""


class MissingExtra(FirstmoverError, ImportError):  # noqa: N818
    """A package that is not installed because it belongs to an extra: the sentence says how to install it."""


EXTRA_OF = {
    "fastapi": "web",
    "gymnasium": "agents",
    "httptools": "web",
    "httpx": "web",
    "matplotlib": "analysis",
    "pettingzoo": "agents",
    "polars": "analysis",
    "psycopg": "postgres",
    "pyspiel": "openspiel",
    "uvicorn": "web",
}
"""The extra of each module that a plain install lacks."""

_SHORT = Repr()
_SHORT.maxstring = _SHORT.maxlong = _SHORT.maxother = 100


def shown(value: object) -> str:
    """Return a value as text of one line for a message, shortened in the middle if it is long.

    >>> import numpy as np
    >>> shown("3 km"), len(shown("9" * 5000)), shown(np.eye(2))
    ("'3 km'", 100, 'array([[1., 0.], [0., 1.]])')
    """
    text = value.isoformat() if isinstance(value, date) else _SHORT.repr(value)
    return " ".join(text.split()) if "\n" in text else text


def first_line(error: BaseException) -> str:
    r"""Return the class and the first line of an error of other code, for a message.

    >>> first_line(RuntimeError("boom\nsecond line")), first_line(KeyError())
    ('RuntimeError: boom', 'KeyError')
    """
    said = str(error).splitlines()[:1]
    return ": ".join([type(error).__name__, *said])


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, for a message.

    >>> counted(1, "task"), counted(1200, "task")
    ('1 task', '1,200 tasks')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def installing(extra: str) -> str:
    """Return how to install an extra of firstmover, for a message."""
    return f"run pip install '.[{extra}]' in a clone of firstmover"


@contextmanager
def naming_extras() -> Iterator[None]:
    """Raise MissingExtra where a module of an extra cannot be imported, instead of ModuleNotFoundError.

    >>> with naming_extras():
    ...     raise ModuleNotFoundError(name="polars")
    Traceback (most recent call last):
        ...
    firstmover.core.errors.MissingExtra: polars is not installed: run pip install '.[analysis]' in a clone of ...
    """
    try:
        yield
    except ModuleNotFoundError as error:
        module = (error.name or "").partition(".")[0]
        if module not in EXTRA_OF:
            raise
        raise MissingExtra(f"{module} is not installed: {installing(EXTRA_OF[module])}.") from error


def unknown_name(kind: str, name: str, known: Iterable[str], field: tuple[str, ...] = ()) -> InvalidInput:
    """Return the error for a name that is not in a table, with the closest names that are."""
    names = sorted(known)
    close = get_close_matches(name.lower(), names, n=3)
    hint = f" did you mean {' or '.join(repr(c) for c in close)}?" if close else ""
    return InvalidInput(f"Unknown {kind} {shown(name)}:{hint} Known: {', '.join(names)}.", field)


def look_up(kind: str, name: str, table: Mapping[str, Entry]) -> Entry:
    """Return the entry of a table; raise an error with the closest known names if there is none."""
    if name not in table:
        raise unknown_name(kind, name, table)
    return table[name]

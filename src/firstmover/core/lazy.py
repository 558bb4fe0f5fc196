"""Fields of entries that are imported when they are first used."""

from pkgutil import resolve_name
from typing import Generic, TypeVar, cast

Value = TypeVar("Value")


class Lazy(Generic[Value]):
    """A dataclass field that holds a value or a reference "module:attribute", which is imported on first access.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Entry:
    ...     ratio: Lazy[float] = Lazy()
    ...     base: Lazy[float] = Lazy("math:e")
    >>> Entry("math:pi").ratio, Entry(2.0).ratio, round(Entry(2.0).base, 3)
    (3.141592653589793, 2.0, 2.718)
    """

    _NO_DEFAULT = object()

    def __init__(self, default: Value | str | object = _NO_DEFAULT) -> None:
        self._default = default

    def __set_name__(self, owner: type, name: str) -> None:
        self._key = name

    def __get__(self, entry: object | None, owner: type) -> Value:
        if entry is None:  # dataclasses ask the class for the default
            if self._default is Lazy._NO_DEFAULT:
                raise AttributeError(self._key)
            return cast("Value", self._default)
        value = vars(entry)[self._key]
        if isinstance(value, str):
            value = vars(entry)[self._key] = resolve_name(value)
        return cast("Value", value)

    def __set__(self, entry: object, value: Value | str) -> None:
        vars(entry)[self._key] = value

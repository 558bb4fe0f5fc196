"""Tables of named entries: filled by this package, by installed packages (entry points) and by plugin modules."""

from collections.abc import Iterator, Mapping
from importlib.metadata import entry_points
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, cast

from firstmover.core.errors import InvalidInput, MissingExtra, first_line, naming_extras, unknown_name

if TYPE_CHECKING:  # pydantic is loaded when parameters are read
    from firstmover.core.documents import Specification


class Entry(Protocol):
    """What every table holds: an object with one line for people.

    It may have `parameters`, the model of the parameters that it takes (a Specification), and `shorthand`, the one of
    them that `NAME:VALUE` gives, such as `action` for `fixed:3`.
    """

    @property
    def summary(self) -> str:
        """One line for people."""


AnyEntry = TypeVar("AnyEntry", bound=Entry)

TABLES: "list[Table[Any]]" = []
"""Every table that was made, so that a plugin that fails can be undone."""


class Table(Mapping[str, AnyEntry], Generic[AnyEntry]):
    """Entries by name, loaded on first use.

    An entry may be a reference "module:attribute"; so may be all of them together, as the dictionary of a module.
    Installed packages add entries through entry points of the group `firstmover.<plural>`; `packages` gives the package
    of each such name, and `added` lists the names that plugin modules added.

    >>> from firstmover.learners import LEARNERS
    >>> LEARNERS.find("stackleucb")
    Traceback (most recent call last):
    ...
    firstmover.core.errors.InvalidInput: Unknown learner 'stackleucb': did you mean 'stackelucb'? Known: anytime, ...
    >>> LEARNERS.resolve("fixed:3")[1]
    FixedParameters(action=3)
    """

    def __init__(self, kind: str, entries: Mapping[str, AnyEntry | str] | str) -> None:
        self.kind = kind
        self._own = entries
        self._loaded: dict[str, Any] | None = None
        self.packages: dict[str, str] = {}
        self._imported: dict[str, str] = {}
        self.added: list[str] = []
        TABLES.append(self)

    @property
    def plural(self) -> str:
        """The kind of its entries in the plural, such as strategies."""
        return f"{self.kind[:-1]}ies" if self.kind.endswith("y") else f"{self.kind}s"

    @property
    def _entries(self) -> dict[str, Any]:
        if self._loaded is None:
            own = resolve_name(self._own) if isinstance(self._own, str) else self._own
            found: dict[str, Any] = dict(own)
            for point in entry_points(group=f"firstmover.{self.plural}"):
                if point.name not in found:
                    found[point.name] = point.value
                    self.packages[point.name] = point.dist.name if point.dist else point.module
            if self._loaded is None:  # another thread may have been quicker, and something added since
                self._loaded = found
        return self._loaded

    def add(self, name: str, entry: AnyEntry | str) -> None:
        """Register an entry under a name that is not taken."""
        if name in self:
            raise InvalidInput(f"{self.kind} {name!r} is registered already: choose another name.")
        self._entries[name] = entry
        self.added.append(name)

    def remove(self, name: str) -> AnyEntry | str:
        """Remove and return an entry that was added, as a plugin that is loaded again does."""
        self.added.remove(name)
        return cast("AnyEntry | str", self._entries.pop(name))

    def find(self, name: str) -> AnyEntry:
        """Return the entry, or raise an error that names the closest known names."""
        if name not in self:
            raise unknown_name(self.kind, name, map(self.usage, self))
        return self[name]

    def usage(self, name: str) -> str:
        """How an entry is written: its name, and the shorthand parameter where it cannot be left out."""
        if isinstance(self._entries[name], str):
            return name
        model, shorthand = _parameters(self[name])
        required = shorthand is not None and model.model_fields[shorthand].is_required()
        return f"{name}:{shorthand.upper()}" if shorthand and required else name

    def takes(self, name: str) -> tuple[str, ...]:
        """The names of the parameters of an entry."""
        return tuple(_parameters(self[name])[0].model_fields)

    def resolve(self, name: str, given: Mapping[str, Any] | None = None) -> "tuple[AnyEntry, Specification]":
        """Return the entry and its parameters; a name may bring one of them, as in `fixed:3`."""
        kind, colon, text = name.partition(":")
        model, shorthand = _parameters(self[kind]) if kind in self else (None, None)
        if model is None or (colon and shorthand is None):
            raise unknown_name(self.kind, name, map(self.usage, self))
        parameters = dict(given or {})
        if colon and shorthand is not None:
            parameters[shorthand] = _value(text, model.model_fields[shorthand].annotation)
        return self[kind], self.read(kind, parameters)

    def read(self, name: str, given: Mapping[str, Any]) -> "Specification":
        """Return the parameters of an entry, checked by its model."""
        from pydantic import ValidationError  # noqa: PLC0415

        from firstmover.core.documents import parameter_error  # noqa: PLC0415

        model, _ = _parameters(self[name])
        try:
            return model.model_validate(dict(given))
        except ValidationError as error:
            raise parameter_error(error, model, f"{self.kind} {name!r}", self.usage(name)) from None

    def modules(self) -> set[str]:
        """The modules of installed packages from which entries were loaded."""
        return {self._imported[name] for name in self.packages if name in self._imported}

    __hash__ = object.__hash__
    __eq__ = object.__eq__

    def __getitem__(self, name: str) -> AnyEntry:
        entry = self._entries[name]
        if isinstance(entry, str):
            entry = self._entries[name] = self._load(name, entry)
        return cast("AnyEntry", entry)

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def _load(self, name: str, reference: str) -> Any:
        try:
            with naming_extras():
                entry = resolve_name(reference)
            entry.summary  # noqa: B018 - an object that is no entry is refused here
        except MissingExtra:
            raise
        except Exception as error:
            package = self.packages.get(name)
            remedy = f"repair or uninstall the package {package!r}" if package else "repair its module"
            raise InvalidInput(
                f"{self.kind} {name!r} cannot be loaded from {reference!r}: {first_line(error)}; {remedy}."
            ) from error
        self._imported[name] = reference.partition(":")[0]
        return entry


def _parameters(entry: object) -> "tuple[type[Specification], str | None]":
    """The model of the parameters of an entry, which may be without fields, and the shorthand parameter."""
    from firstmover.core.documents import Specification  # noqa: PLC0415

    return getattr(entry, "parameters", None) or Specification, getattr(entry, "shorthand", None)


def _value(text: str, annotation: Any) -> Any:
    """The value that a shorthand gives: a number where one is expected and the text reads as one."""
    for number in () if annotation is str else (int, float):
        try:
            return number(text)
        except ValueError:
            continue
    return text

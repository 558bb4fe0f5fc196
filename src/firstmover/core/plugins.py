"""Plugins: modules that add entries to the tables, named by the user or installed with entry points."""

import hashlib
import logging
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from firstmover.core.errors import FirstmoverError, InvalidInput, first_line
from firstmover.core.registry import TABLES, Table

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class _Plugin:
    module: ModuleType
    content: str | None
    added: tuple[tuple[Table[Any], str], ...]


_LOADED: dict[str, _Plugin] = {}
_locks = 0


def load_plugins(names: Iterable[str]) -> tuple[str, ...]:
    """Import modules that add entries to the tables, and return their names as workers can load them.

    A name is a dotted module name or the path of a `.py` file. Loading is idempotent; a file that was changed since is
    loaded again, and its entries replace the old ones. A plugin that fails leaves the tables as they were.
    """
    names = tuple(names)
    if _locks:
        require_plugins(names)
    return tuple(_load(name) for name in names)


def loaded_plugins() -> tuple[str, ...]:
    """The plugins loaded so far, in order: dotted names and absolute paths, as `load_plugins` takes them."""
    return tuple(_LOADED)


def require_plugins(names: Iterable[str]) -> None:
    """Raise InvalidInput for a plugin that is not loaded, without loading it: for names from untrusted documents."""
    for name in names:
        if _key(name) not in _LOADED:
            raise InvalidInput(
                f"plugin {name!r} is not loaded: restart the program with --plugin {name}, if you trust that module."
            )


def providers(names: Iterable[str]) -> list[str]:
    """The loaded plugins that added an entry of one of these names."""
    wanted = set(names)
    return [key for key, plugin in _LOADED.items() if wanted & {name for _, name in plugin.added}]


@contextmanager
def locked_plugins() -> Iterator[None]:
    """Refuse to load further plugins, in the whole process: for services, whose callers must not import modules."""
    global _locks  # noqa: PLW0603 - one process, one import system
    _locks += 1
    try:
        yield
    finally:
        _locks -= 1


def plugin_sources() -> tuple[Path, ...]:
    """The source files of all plugins that were loaded, also by entry points: results depend on them."""
    modules = {plugin.module.__name__ for plugin in _LOADED.values()}
    modules |= {module for table in TABLES for module in table.modules()}
    files = {path for module in modules if module in sys.modules for path in _files(sys.modules[module])}
    return tuple(sorted(files))


def _files(module: ModuleType) -> Iterable[Path]:
    """The file of a module; all files of the top-level package that it belongs to."""
    top = sys.modules.get(module.__name__.partition(".")[0], module)
    folders = [Path(folder) for folder in getattr(top, "__path__", ())]
    if folders:
        return [path.resolve() for folder in folders for path in folder.rglob("*.py")]
    return [Path(module.__file__).resolve()] if module.__file__ else []


def _load(name: str) -> str:
    key, content = _key(name), None
    if _is_file(name):
        try:
            content = hashlib.sha256(Path(key).read_bytes()).hexdigest()
        except OSError as error:
            raise InvalidInput(f"plugin file {name!r} cannot be read: {error.strerror}.") from None
    old = _LOADED.get(key)
    if old is not None and old.content == content:
        return key
    replaced = [(table, entry, table.remove(entry)) for table, entry in (old.added if old else ())]
    before = _entries()
    try:
        module = _import(name) if content is None else _import_file(Path(key))
    except (Exception, SystemExit) as error:
        for table, entry in _entries() - before:
            table.remove(entry)
        for table, entry, value in replaced:
            table.add(entry, value)
        reason = str(error) if isinstance(error, FirstmoverError) else f"{first_line(error)}; correct the module."
        raise InvalidInput(f"plugin {name!r} cannot be loaded: {reason}") from error
    added = tuple(_entries() - before)
    _LOADED[key] = _Plugin(module, content, added)
    words = sorted(f"{table.kind} {entry}" for table, entry in added)
    _LOG.info("loaded plugin %s: %s", key, ", ".join(words) or "it adds no entries")
    return key


def _entries() -> set[tuple[Table[Any], str]]:
    return {(table, name) for table in TABLES for name in table.added}


def beside(document: Path, name: Any) -> Any:
    """A plugin as a document names it: the path of a file is relative to the folder of the document."""
    return str(document.parent / name) if isinstance(name, str) and _is_file(name) else name


def _is_file(name: str) -> bool:
    return name.endswith(".py") or "/" in name or "\\" in name


def _key(name: str) -> str:
    return str(Path(name).resolve()) if _is_file(name) else name


def _import(name: str) -> ModuleType:
    try:
        found = find_spec(name)
    except (ImportError, ValueError):
        found = None
    if found is None:
        raise InvalidInput(
            "no module of this name is installed; give the dotted name of one, or a path that ends in .py."
        )
    return import_module(name)


def _import_file(path: Path) -> ModuleType:
    name = f"firstmover_plugin_{hashlib.sha256(str(path).encode()).hexdigest()[:12]}"
    found = spec_from_file_location(name, path)
    if found is None or found.loader is None:
        raise InvalidInput("give a path that ends in .py, or a dotted module name.")
    module = module_from_spec(found)
    sys.modules[name] = module  # dataclasses and pydantic look their module up
    found.loader.exec_module(module)
    return module

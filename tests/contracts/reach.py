"""Which files of a folder its table reaches: so that none is forgotten."""

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterable
from functools import partial
from types import CodeType, ModuleType
from typing import Any


def modules_of(package: ModuleType) -> dict[str, ModuleType]:
    """Every file of the folder, by its name."""
    names = [m.name for m in pkgutil.iter_modules(package.__path__) if not m.ispkg]
    return {name: importlib.import_module(f"{package.__name__}.{name}") for name in names}


def reached_by(builders: Iterable[Callable[..., Any]], package: ModuleType) -> set[str]:
    """Files whose functions and classes the builders are or name, also through helpers beside the table."""
    found: set[str] = set()
    todo, done = list(builders), set()
    while todo:
        builder = todo.pop()
        builder = builder.func if isinstance(builder, partial) else builder
        where = getattr(builder, "__module__", None) or ""
        if id(builder) in done or not where.startswith(package.__name__):
            continue
        done.add(id(builder))
        found.add(where.removeprefix(package.__name__).removeprefix("."))
        if where in (package.__name__, f"{package.__name__}.entries") and inspect.isfunction(builder):
            todo += [builder.__globals__[name] for name in _names(builder.__code__) if name in builder.__globals__]
    return found - {""}


def _names(code: CodeType) -> set[str]:
    inner = [_names(c) for c in code.co_consts if isinstance(c, CodeType)]
    return set(code.co_names).union(*inner)


def used_within(package: ModuleType) -> set[str]:
    """Files from which another file of the folder, or the table's own, imports a function or class."""
    found = set()
    for module in [package, *modules_of(package).values()]:
        for value in vars(module).values():
            where = getattr(value, "__module__", None)
            if isinstance(where, str) and where.startswith(f"{package.__name__}.") and where != module.__name__:
                found.add(where.removeprefix(f"{package.__name__}."))
    return found


def forgotten(
    package: ModuleType, builders: Iterable[Callable[..., Any]], belongs: Callable[[Any], bool]
) -> dict[str, str]:
    """Files that the table misses: those that define what belongs in it, and those that nobody uses."""
    reached, used = reached_by(builders, package), used_within(package)
    missing = {}
    for name, module in modules_of(package).items():
        own = [v for v in vars(module).values() if getattr(v, "__module__", None) == module.__name__]
        if name not in reached and any(belongs(value) for value in own):
            missing[name] = "defines what belongs in the table, but no line of the table builds it"
        elif name not in reached | used:
            missing[name] = "is used by nobody"
    return missing

"""The layout of the package: its packages and layers, its size, and no module that nothing reaches."""

import ast
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "firstmover"
PACKAGES = {
    "core", "kernels", "beliefs", "strategies", "learners", "games", "simulation", "theory", "runs", "matches",
    "figures", "service", "cli", "paper",
}  # fmt: skip
REFERENCE = re.compile(r"^(firstmover(?:\.\w+)*)(?::(\w+))?$")
MOST_LINES = 57_000


def test_the_packages_are_those_of_the_design() -> None:
    entries = {path.name for path in SOURCE.iterdir()} - {"__init__.py", "__init__.pyi", "py.typed", "__pycache__"}
    assert {path.parent.name for path in SOURCE.glob("*/__init__.py")} == PACKAGES
    assert len(entries) <= 15, sorted(entries)


def test_there_are_at_most_ten_layers() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    layers = project["tool"]["importlinter"]["contracts"][0]["layers"]
    assert len(layers) <= 10
    assert {name for layer in layers for name in re.findall(r"firstmover\.(\w+)", layer)} == PACKAGES


def test_the_package_stays_small() -> None:
    lines = sum(len(path.read_text("utf-8").splitlines()) for path in SOURCE.rglob("*.py"))
    assert lines <= MOST_LINES


@cache
def modules() -> dict[str, ast.Module]:
    """Every module of the package by its dotted name; a package is its `__init__`."""
    found = {}
    for path in SOURCE.rglob("*.py"):
        parts = path.relative_to(SOURCE.parent).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found[name] = ast.parse(path.read_text("utf-8"))
    return found


@cache
def packages() -> frozenset[str]:
    """The names of `modules` that are packages."""
    paths = (path.parent.relative_to(SOURCE.parent) for path in SOURCE.rglob("__init__.py"))
    return frozenset(".".join(path.parts) for path in paths)


def imports(tree: ast.AST) -> Iterator[tuple[str, str | None, str]]:
    """(module, name or None, bound name) of every import of this package, also inside functions."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((each.name, None, each.asname or each.name) for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            yield from ((node.module or "", each.name, each.asname or each.name) for each in node.names)


@cache
def bound(module: str) -> dict[str, tuple[str, str | None]]:
    """Where each imported name of a module comes from; the stub of a package declares its lazy names."""
    stub = SOURCE.parent.joinpath(*module.split("."), "__init__.pyi")
    lazy = imports(ast.parse(stub.read_text("utf-8"))) if stub.exists() else ()
    return {name: (source, original) for source, original, name in [*imports(modules()[module]), *lazy]}


def target(module: str, name: str | None) -> str | None:
    """The module that defines a name, through the re-exports of packages; None outside this package."""
    if module not in modules():
        return None
    if name is None or name == "*":
        return module
    if f"{module}.{name}" in modules():
        return f"{module}.{name}"
    if module in packages() and name in bound(module):
        return target(*bound(module)[name])
    return module


def docstrings(tree: ast.AST) -> set[int]:
    return {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}


def strings(tree: ast.Module) -> Iterator[str]:
    """String literals outside docstrings; f-strings whose parts are literals or module-level string constants."""
    text, constants = docstrings(tree), {}
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
            constants |= {name.id: node.value.value for name in node.targets if isinstance(name, ast.Name)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in text:
            yield node.value
        elif isinstance(node, ast.JoinedStr):
            parts = [part.value for part in node.values if isinstance(part, ast.FormattedValue | ast.Constant)]
            yield "".join(str(constants.get(part.id) if isinstance(part, ast.Name) else part) for part in parts)


def references(tree: ast.Module) -> Iterator[str]:
    """Modules named by strings: `"firstmover.games:GAMES"` or `import_module("firstmover.games")`."""
    for text in strings(tree):
        match = REFERENCE.match(text)
        found = target(match[1], match[2]) if match else None
        if found:
            yield found


def needed(module: str) -> set[str]:
    """Modules that a module uses; of a package's `__init__`, only what its own code uses, not what it re-exports."""
    tree = modules()[module]
    used = set(references(tree)) if module != "firstmover" else set()
    if module not in packages():
        return used | {found for source, name, _ in imports(tree) if (found := target(source, name))}
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    inner = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    within = {name for function in inner for _, _, name in imports(function)}
    used |= {f"{source}.{name}" for source, name, _ in imports(tree) if f"{source}.{name}" in modules()}  # runs it
    return used | {
        found for name in names | within if name in bound(module) and (found := target(*bound(module)[name]))
    }


def examples() -> Iterator[ast.Module]:
    """The code that shows how the package is used: examples of the documentation, scripts, studies, benchmarks."""
    for folder in ("examples", "studies", "benchmarks"):
        yield from (ast.parse(path.read_text("utf-8")) for path in (ROOT / folder).rglob("*.py"))
    for page in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]:
        lines = re.findall(r"^(?:>>>|\.\.\.) ?(.*)$", page.read_text("utf-8"), re.MULTILINE)
        yield ast.parse("\n".join(lines))


def roots() -> set[str]:
    """Modules of public names, of the command and of entry points, and of what the documentation uses."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    points = [*project["scripts"].values()]
    points += [value for group in project.get("entry-points", {}).values() for value in group.values()]
    stub = ast.parse((SOURCE / "__init__.pyi").read_text("utf-8"))
    public = ((source, name) for source, name, _ in imports(stub))
    shown = ((source, name) for tree in examples() for source, name, _ in imports(tree))
    named = {target(source, name) for source, name in [*public, *shown]}
    named |= {target(*point.split(":")) for point in points}
    folders = {name for name in packages() if name.rpartition(".")[0] == "firstmover.games"}  # each has ENTRIES
    return {"firstmover", "firstmover.__main__", *folders} | {name for name in named if name}


def reached() -> set[str]:
    found: set[str] = set()
    todo = roots()
    while todo:
        name = todo.pop()
        if name in found:
            continue
        found.add(name)
        parent = name.rpartition(".")[0]
        todo |= needed(name) | ({parent} if parent else set())
    return found


def test_every_module_is_reached() -> None:
    """From public names, tables, commands, entry points or documentation; a re-export alone does not count."""
    assert sorted(set(modules()) - reached()) == []


@pytest.mark.parametrize("package", sorted(packages()))
def test_no_module_shares_its_name_with_a_function_or_class_beside_it(package: str) -> None:
    beside = {name.rpartition(".")[2] for name in modules() if name.rpartition(".")[0] == package}
    tree = modules()[package]
    defined = {n.name for n in tree.body if isinstance(n, ast.FunctionDef | ast.ClassDef)}
    assigned = [node for node in tree.body if isinstance(node, ast.Assign | ast.AnnAssign)]
    stored = (node for each in assigned for node in ast.walk(each) if isinstance(node, ast.Name))
    defined |= {node.id for node in stored if isinstance(node.ctx, ast.Store)}
    imported = {name for name, (source, original) in bound(package).items() if f"{source}.{original}" not in modules()}
    assert beside & (defined | imported) == set()

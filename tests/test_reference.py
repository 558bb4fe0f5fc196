"""The reference: sections of the docstrings of public names, their agreement with signatures, and their pages."""

import ast
import builtins
import doctest
import inspect
import re
from collections import Counter
from functools import cache
from importlib import import_module
from pathlib import Path
from runpy import run_path
from textwrap import dedent
from types import FunctionType
from typing import Any

import pytest

import firstmover

PAGES = sorted((Path(__file__).parents[1] / "docs" / "reference").glob("*.md"))
PACKAGES = ["matches", "games", "simulation", "learners", "beliefs", "strategies", "kernels", "theory"]
PACKAGES += ["runs", "figures"]
NAMES = [f"firstmover.{name}" for name in firstmover.__all__] + ["firstmover.service.client.Client"]
for package in PACKAGES:
    names = import_module(f"firstmover.{package}").__all__
    NAMES += [f"firstmover.{package}.{name}" for name in names if name not in firstmover.__all__]
HEADER = re.compile(r"^(\w+)\n-{3,}\n", re.MULTILINE)


def found(name: str) -> Any:
    module, _, attribute = name.rpartition(".")
    return getattr(import_module(module), attribute)


CALLABLES = [name for name in NAMES if callable(found(name))]
CONSTANTS = [name for name in NAMES if not callable(found(name))]


def sections(value: object) -> dict[str, str]:
    """The NumPy sections of a docstring by name."""
    parts = HEADER.split(inspect.cleandoc(value.__doc__ or ""))
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def documented(section: str) -> list[str]:
    """The names of a section of parameters; one line may name several."""
    return [name.strip() for line in re.findall(r"^\S.*", section, re.MULTILINE) for name in line.split(",")]


def parameters(value: Any) -> list[str]:
    """The parameters of a function, a method or a constructor, without self and cls."""
    plain_error = isinstance(value, type) and issubclass(value, Exception) and "__init__" not in vars(value)
    if plain_error or getattr(value, "_is_protocol", False):
        return []
    names = list(inspect.signature(value).parameters)
    return [name for name in names if name not in ("self", "cls") and not name.startswith("_")]


def called(value: Any) -> list[FunctionType]:
    """The functions of this package that run when a value is called: itself, or the constructors of a class."""
    bases = value.__mro__ if isinstance(value, type) else ()
    parts = [vars(base).get(name) for base in bases for name in ("__init__", "__post_init__", "__new__")] + [value]
    written = [part for part in parts if isinstance(part, FunctionType) and part.__code__.co_filename != "<string>"]
    return [part for part in written if part.__module__.startswith("firstmover.")]


@cache
def raises_invalid_input(function: FunctionType) -> bool:
    """Whether a function, or a function or class of this package that it calls by name, raises InvalidInput."""
    nodes = ast.walk(ast.parse(dedent(inspect.getsource(function))))
    names = {node.func.id for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    others = [part for name in names for part in called(function.__globals__.get(name)) if part is not function]
    return "InvalidInput" in names or any(map(raises_invalid_input, others))


@pytest.mark.parametrize("name", CALLABLES)
def test_a_public_name_has_every_section_that_applies(name: str) -> None:
    value = found(name)
    own = sections(value)
    needed = {"Examples"}
    if parameters(value):
        needed.add("Parameters")
    if not isinstance(value, type) and inspect.signature(value).return_annotation not in (None, "None"):
        needed.add("Yields" if inspect.isgeneratorfunction(value) else "Returns")
    if parameters(value) and any(map(raises_invalid_input, called(value))):
        needed.add("Raises")
    assert needed <= set(own)


def documented_members(value: Any) -> dict[str, Any]:
    """A value and, of a class, its public methods."""
    methods = vars(value).items() if isinstance(value, type) else ()
    plain = {name: getattr(method, "__func__", method) for name, method in methods if not name.startswith("_")}
    return {"": value} | {name: method for name, method in plain.items() if isinstance(method, FunctionType)}


@pytest.mark.parametrize("name", CALLABLES)
def test_documented_parameters_are_those_of_the_signature(name: str) -> None:
    for member in documented_members(found(name)).values():
        own = sections(member)
        if "Parameters" in own:
            assert documented(own["Parameters"]) == parameters(member), member
        assert not re.search(r"^\s*[A-Za-z]\.$", member.__doc__ or "", re.MULTILINE), "Sphinx reads `T.` as a list"


def undefined(source: str) -> set[str]:
    """Names that code uses without a definition or an import."""
    nodes = list(ast.walk(ast.parse(source)))
    names = [node for node in nodes if isinstance(node, ast.Name)]
    defined = {node.id for node in names if not isinstance(node.ctx, ast.Load)} | set(dir(builtins))
    defined |= {node.arg for node in nodes if isinstance(node, ast.arg)}
    defined |= {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.ExceptHandler)}
    imported = [each for node in nodes if isinstance(node, ast.Import | ast.ImportFrom) for each in node.names]
    defined |= {each.asname or each.name.partition(".")[0] for each in imported}
    return {node.id for node in names} - defined


@pytest.mark.parametrize("name", CALLABLES)
def test_examples_run_where_they_are_pasted_and_show_a_result(name: str) -> None:
    for member in documented_members(found(name)).values():
        if "Examples" in sections(member):
            examples = doctest.DocTestParser().get_examples(sections(member)["Examples"])
            assert any(example.want for example in examples), member
            assert undefined("".join(example.source for example in examples)) == set(), member


def entries(page: Path) -> list[str]:
    """The names that a page documents."""
    return re.findall(r"^\.\. (?:auto(?:class|function|exception)|py:data):: (\S+)", page.read_text("utf-8"), re.M)


def test_every_public_name_is_on_exactly_one_page() -> None:
    counts = Counter(name for page in PAGES for name in entries(page))
    assert {name: count for name, count in counts.items() if count != 1} == {}
    assert set(NAMES) - set(counts) == set()
    for name in counts:
        found(name)


@pytest.mark.parametrize("name", CONSTANTS)
def test_a_table_has_an_example_on_its_page(name: str) -> None:
    text = next(page.read_text("utf-8") for page in PAGES if name in entries(page))
    after = text[text.index(f":: {name}\n") :]
    section = re.split(r"^#", after, maxsplit=1, flags=re.MULTILINE)[0]
    assert re.search(rf"^>>> .*\b{name.rpartition('.')[2]}\b", section, re.MULTILINE)


def test_the_command_line_page_shows_the_help_of_every_command() -> None:
    maker = run_path(str(PAGES[0].with_name("make_command_line.py")))
    assert maker["PAGE"].read_text("utf-8") == maker["page"](), "run docs/reference/make_command_line.py"

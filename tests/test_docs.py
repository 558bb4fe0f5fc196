import re
import tomllib
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest
from myst_parser.slugs import github_slugify

from firstmover import LEARNERS, STRATEGIES

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
LINK = re.compile(r"\]\(([^)#\s]*)(?:#([^)\s]+))?\)")
GENERATED = ROOT / "docs" / "_gallery"


@cache
def links(page: Path) -> list[tuple[Path, str]]:
    """The files that a page links to, and the anchors in them; what Sphinx writes exists only in the site."""
    text = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text("utf-8"), flags=re.DOTALL)
    found = [(target, anchor) for target, anchor in LINK.findall(text) if "://" not in target]
    paths = [((page.parent / target).resolve() if target else page, anchor) for target, anchor in found]
    return [(path, anchor) for path, anchor in paths if not path.is_relative_to(GENERATED)]


@cache
def anchors(page: Path) -> set[str]:
    """The anchors of the headings of a page, as GitHub and the site make them."""
    text = re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.DOTALL)
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    plain = (re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading) for heading in headings)
    return {github_slugify(re.sub(r"[`*]", "", heading)) for heading in plain}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    assert [target for target, _ in links(page) if not target.exists()] == []
    assert [
        link for link in links(page) if link[1] and link[0].suffix == ".md" and link[1] not in anchors(link[0])
    ] == []


def test_every_page_of_docs_is_reached_from_the_first_page() -> None:
    reached, todo = set(), {ROOT / "docs" / "index.md"}
    while todo:
        reached |= todo
        todo = {target for page in todo for target, _ in links(page) if target.suffix == ".md"} - reached
    pages = {page for page in PAGES if page.is_relative_to(ROOT / "docs")}
    assert pages - {ROOT / "docs" / "README.md"} <= reached


def resolve(dotted: str) -> object:
    """The module or the attribute of one, however deep, that a dotted name means."""
    parts = dotted.split(".")
    for cut in range(len(parts), 0, -1):
        try:
            found: object = import_module(".".join(parts[:cut]))
        except ModuleNotFoundError:
            continue
        for name in parts[cut:]:
            found = getattr(found, name)
        return found
    raise AssertionError(dotted)


def test_every_name_of_the_notation_exists() -> None:
    names = re.findall(r"`(firstmover\.[\w.]+)`", (ROOT / "docs" / "notation.md").read_text("utf-8"))
    assert len(names) > 20
    for name in names:
        resolve(name)


def test_the_architecture_shows_the_layers_that_are_enforced() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    layers = [layer.replace("firstmover.", "") for layer in contracts[0]["layers"]]
    assert "\n".join(layers) in (ROOT / "docs" / "architecture.md").read_text("utf-8")


def test_the_architecture_names_every_package() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    tree = text[text.index("src/firstmover/\n") : text.index("studies/ ")]
    packages = {path.parent.name for path in (ROOT / "src" / "firstmover").glob("*/__init__.py")}
    assert set(re.findall(r"^  (\w+)/", tree, re.MULTILINE)) == packages


def test_every_learner_and_strategy_has_a_word_of_theory() -> None:
    theory = "".join(page.read_text("utf-8") for page in (ROOT / "docs" / "theory").glob("*.md"))
    assert [name for name in [*LEARNERS, *STRATEGIES] if f"`{name}" not in theory] == []

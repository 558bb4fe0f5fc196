import re
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

from firstmover import LEARNERS, STRATEGIES

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
LINK = re.compile(r"\]\(([^)#\s]+)(#[^)\s]+)?\)")


def links(page: Path) -> list[Path]:
    targets = [target for target, _ in LINK.findall(page.read_text("utf-8")) if "://" not in target]
    return [(page.parent / target).resolve() for target in targets]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    assert [target for target in links(page) if not target.exists()] == []


def test_every_page_of_docs_is_reached_from_their_index() -> None:
    index = ROOT / "docs" / "README.md"
    pages = {page for page in PAGES if page.is_relative_to(ROOT / "docs")}
    assert pages - {index} <= set(links(index))


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

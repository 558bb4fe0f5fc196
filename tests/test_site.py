"""The documentation site: built with warnings as errors, every link leads somewhere, nothing comes from other hosts.

The environment variable SITE names a folder with a finished site. Without it the site is built in
the plain theme, which takes half of the time, and the scripts of the gallery are not executed.
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

ROOT = Path(__file__).parents[1]
LOADED = {
    "script": "src",
    "link": "href",
    "img": "src",
    "iframe": "src",
    "source": "src",
    "video": "src",
    "audio": "src",
}
"""Attributes whose address a browser loads with the page."""


class Page(HTMLParser):
    """The anchors of a page, its links, and the addresses that a browser loads with it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value for name, value in attrs if value}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        if tag in LOADED and LOADED[tag] in given:
            self.loaded.append(given[LOADED[tag]])


@cache
def page(path: Path) -> Page:
    return Page(path.read_text("utf-8"))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if "SITE" in os.environ:
        return Path(os.environ["SITE"]).resolve()
    folder = tmp_path_factory.mktemp("site")
    quick = ["--define", "sphinx_gallery_conf.plot_gallery=0", "--define", "html_theme=basic"]
    places = ["--doctree-dir", folder / "doctrees", ROOT / "docs", folder / "html"]
    command = [sys.executable, "-m", "sphinx", "--fail-on-warning", "--keep-going", "--quiet", *quick, *places]
    built = subprocess.run(command, check=False, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    return folder / "html"


def pages(site: Path) -> list[Path]:
    found = sorted(site.rglob("*.html"))
    assert len(found) > 150
    return found


def broken(site: Path, path: Path) -> Iterator[str]:
    """The links of a page to files or anchors of the site that do not exist."""
    for link in page(path).links:
        parts = urlsplit(link)
        if parts.scheme or parts.netloc:
            continue
        target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
        assert target.is_relative_to(site), (path, link)
        anchors = page(target).anchors if target.suffix == ".html" and target.is_file() else {unquote(parts.fragment)}
        if not target.is_file() or (parts.fragment and unquote(parts.fragment) not in anchors):
            yield link


def test_every_link_of_the_site_leads_to_a_file_and_an_anchor(site: Path) -> None:
    found = {str(path.relative_to(site)): list(broken(site, path)) for path in pages(site)}
    assert {name: links for name, links in found.items() if links} == {}


def test_the_site_loads_nothing_from_other_hosts(site: Path) -> None:
    loaded = {(path.name, address) for path in pages(site) for address in page(path).loaded}
    assert {each for each in loaded if urlsplit(each[1]).netloc} == set()
    styles = {
        path.name: re.findall(r"(?:url\(|@import)\s*['\"]?\s*(?:https?:)?//[^)'\"]*", path.read_text("utf-8"))
        for path in site.rglob("*.css")
    }
    assert {name: found for name, found in styles.items() if found} == {}


def test_equations_are_mathml_and_numbered_as_in_the_paper(site: Path) -> None:
    texts = {
        path.stem: path.read_text("utf-8") for folder in ("theory", "games") for path in (site / folder).glob("*.html")
    }
    texts["stackelberg"] = (site / "stackelberg.html").read_text("utf-8")
    numbers = {int(number) for text in texts.values() for number in re.findall(r'class="eqno">\((\d+)\)<', text)}
    assert numbers == {*range(1, 19)} - {14}  # (14) is Theorem 1 on the grid of Eq. (9)
    assert "<mfrac>" in texts["confidence"]
    assert "MathJax" not in "".join(texts.values())


@pytest.mark.parametrize(
    ("name", "definition"),
    [("beliefs", "beliefs/exact.html#posterior"), ("single-type", "learners/single_type.html#SingleType.strategy")],
)
def test_an_equation_leads_to_the_code_that_implements_it_and_back(site: Path, name: str, definition: str) -> None:
    theory = site / "theory" / f"{name}.html"
    assert f"../_modules/firstmover/{definition}" in page(theory).links
    source, _, inner = definition.partition("#")
    assert inner in page(site / "_modules" / "firstmover" / source).anchors


def test_a_source_that_does_not_exist_and_bad_mathematics_fail_the_build(tmp_path: Path) -> None:
    extensions = ROOT / "docs" / "extensions"
    (tmp_path / "conf.py").write_text(
        f"import sys\nsys.path.insert(0, {str(extensions)!r})\n"
        "extensions = ['myst_parser', 'sphinx.ext.viewcode', 'mathml', 'source_links']\n"
        "html_math_renderer = 'mathml'\nmyst_enable_extensions = ['dollarmath']\n"
    )
    good = "{source}`firstmover.beliefs.exact.posterior` $½ ‖x‖_1$"
    bad = "{source}`firstmover.beliefs.exact.prior` $\\nothing$"
    (tmp_path / "index.md").write_text(f"# Page\n\n{good} {bad}\n")
    command = [sys.executable, "-m", "sphinx", "--quiet", tmp_path, tmp_path / "html"]
    warnings = subprocess.run(command, check=True, capture_output=True, text=True).stderr.splitlines()
    assert len(warnings) == 2, warnings
    assert "there is no definition 'firstmover.beliefs.exact.prior'" in warnings[0]
    assert "Unknown LaTeX command" in warnings[1]

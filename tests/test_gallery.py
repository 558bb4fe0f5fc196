"""The gallery: every page has a title, text and a picture, and its notebook runs.

sphinx-gallery writes the notebooks that readers download; the same ones are executed here.
"""

import ast
import json
import os
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient
from sphinx_gallery.gen_gallery import DEFAULT_GALLERY_CONF
from sphinx_gallery.notebook import jupyter_notebook
from sphinx_gallery.py_source_parser import split_code_and_text_blocks

GALLERY = Path(__file__).parents[1] / "docs" / "gallery"
PAGES = sorted(GALLERY.glob("*/plot_*.py"))
QUICK = ("plot_own_kernel", "plot_security_game")
every_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)


def executed(page: Path, folder: Path) -> nbformat.NotebookNode:
    """The notebook of a page after it ran in a new kernel, in another folder."""
    _, blocks = split_code_and_text_blocks(str(page))
    content = json.dumps(jupyter_notebook(blocks, dict(DEFAULT_GALLERY_CONF), str(page.parent)))
    found = nbformat.reads(content, as_version=4)  # a source of lines becomes a text
    NotebookClient(found, timeout=600, kernel_name="python3", resources={"metadata": {"path": str(folder)}}).execute()
    return found


def outputs(notebook: nbformat.NotebookNode) -> list[Any]:
    return [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]


def check_pictures_and_no_warnings(notebook: nbformat.NotebookNode) -> None:
    found = outputs(notebook)
    assert any("image/png" in output.get("data", {}) for output in found)
    assert [output.text for output in found if output.get("name") == "stderr"] == []


def test_there_are_pages_for_three_readers() -> None:
    assert len(PAGES) >= 15
    assert len({page.stem for page in PAGES}) == len(PAGES)
    folders = {page.parent for page in PAGES}
    assert {folder.name for folder in folders} == {"play", "algorithms", "running"}
    assert all((folder / "GALLERY_HEADER.rst").exists() for folder in [GALLERY, *folders])
    assert {path.name for path in GALLERY.rglob("*.py")} == {page.name for page in PAGES}, "a page is named plot_*.py"


@every_page
def test_a_page_is_short_and_has_a_title_text_and_a_picture(page: Path) -> None:
    source = page.read_text("utf-8")
    assert len(source.splitlines()) < 60
    title, underline, blank, *text = (ast.get_docstring(ast.parse(source)) or "").splitlines()
    assert underline == "=" * len(title)
    assert blank == ""
    assert len(" ".join(text)) > 100
    _, blocks = split_code_and_text_blocks(str(page))
    code = [block.content for block in blocks if block.type == "code"]
    assert any("plt.show()" in part and ("figure(" in part or "subplots(" in part) for part in code)
    assert sum(block.type == "text" for block in blocks) >= 2, "the picture is explained"


@every_page
def test_a_page_needs_no_file_beside_it(page: Path) -> None:
    names = {node.id for node in ast.walk(ast.parse(page.read_text("utf-8"))) if isinstance(node, ast.Name)}
    assert "__file__" not in names  # a notebook has none


@pytest.mark.parametrize("page", [page for page in PAGES if page.stem in QUICK], ids=lambda page: page.stem)
def test_the_notebook_of_a_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(os.environ, "OPENBLAS_NUM_THREADS", "1")
    check_pictures_and_no_warnings(executed(page, tmp_path))


@pytest.mark.slow
@pytest.mark.parametrize("page", [page for page in PAGES if page.stem not in QUICK], ids=lambda page: page.stem)
def test_every_notebook_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(os.environ, "OPENBLAS_NUM_THREADS", "1")
    check_pictures_and_no_warnings(executed(page, tmp_path))


def test_cards_and_returned_figures_are_shown_in_a_notebook(tmp_path: Path) -> None:
    """Without pyplot: a figure that is returned is shown once, and a game as its card."""
    cells = [
        "import firstmover as fm\ngame = fm.GAMES['shore'].build()\ngame",
        "found = fm.compare('shore', 'random', ['uniform'], rounds=5, seeds=2)\nfound.plot()",
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(tmp_path)}}).execute()
    card, figure = outputs(notebook)
    assert "Game shore" in card.data["text/html"]
    assert figure.data["image/png"].startswith("iVBOR")

"""The documentation site: Sphinx reads the Markdown pages of this folder, and executes the scripts of the gallery."""

import sys
import tomllib
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS / "extensions"))

project = "firstmover"
author = "The firstmover authors"
copyright = author
release = tomllib.loads((DOCS.parent / "pyproject.toml").read_text("utf-8"))["project"]["version"]
version = release

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "sphinx_gallery.gen_gallery",
    "mathml",
    "signatures",
    "source_links",
]
exclude_patterns = ["README.md", "_build", "gallery"]
nitpicky = True
default_role = "literal"  # docstrings have single backticks

# Markdown as GitHub renders it: dollar mathematics, ```math blocks, anchors of headings
myst_enable_extensions = ["dollarmath"]
myst_fence_as_directive = ["math"]
myst_heading_anchors = 4
myst_heading_slug_func = "github"
myst_dmath_double_inline = True

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_preserve_defaults = True
napoleon_google_docstring = False
napoleon_use_rtype = False
viewcode_line_numbers = True

sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "_gallery",
    "filename_pattern": "/plot_",
    "subsection_order": ["gallery/play", "gallery/algorithms", "gallery/running"],
    "abort_on_example_error": True,
    "download_all_examples": False,
    "show_memory": False,
    "write_computation_times": False,
    "remove_config_comments": True,
}

html_theme = "furo"
pygments_dark_style = "github-dark"
html_title = f"firstmover {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_math_renderer = "mathml"
html_copy_source = False
html_show_sphinx = False


def strip_code(_app: Sphinx, doctree: nodes.document) -> None:
    """Remove the empty line at the end of a block of code, with which pages end the output of an example."""
    for block in doctree.findall(nodes.literal_block):
        code = block.rawsource.rstrip("\n")
        if block.rawsource == block.astext():
            block.rawsource, block[:] = code, [nodes.Text(code)]


def setup(app: Sphinx) -> None:
    """Register what is no extension of its own."""
    app.connect("doctree-read", strip_code)

r"""Equations as MathML, which browsers render without a script: LaTeX is converted when the site is built.

`\tag{2}` numbers a displayed equation, as on GitHub.
"""

import re
from typing import Any

from docutils import nodes
from docutils.utils.math import MathError, tex2unichar
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.writers.html5 import HTML5Translator

TABLES = (tex2unichar.mathbin, tex2unichar.mathrel, tex2unichar.mathord, tex2unichar.mathop)
SYMBOLS = {
    sign: f"\\{name} " for table in TABLES for name, sign in table.items() if len(sign) == 1 and not sign.isascii()
}
SYMBOLS |= {"−": "-", "·": r"\cdot ", "½": r"\tfrac{1}{2} ", "‖": r"\Vert ", "⊤": r"\top ", "…": r"\ldots "}
"""Signs that pages write as themselves, so that they can be read as text, and the commands that docutils knows."""
BEFORE = re.compile(r"(?<=[^\s({\[|,;&=<>≤≥∝+−·/\\])\s*(?=\\(?:log|exp|det)\b)")
AFTER = re.compile(r"(?<=\\log|\\exp|\\det)\s+(?=[^\s(])")
"""Places beside the name of a function where LaTeX sets a thin space, and MathML none."""
BAR = re.compile(r"<mo[^>]*>([|‖])</mo>")
TAG = re.compile(r"\s*\\tag\{([^}]*)\}")
logger = logging.getLogger(__name__)


def mathml(node: nodes.math | nodes.math_block, latex: str) -> str:
    """The LaTeX as a MathML element; what cannot be converted is a warning of the build."""
    spaced = AFTER.sub(r"\\,", BEFORE.sub(r"\\,", latex))
    try:
        found = tex2mathml(spaced.translate(str.maketrans(SYMBOLS)), as_block=isinstance(node, nodes.math_block))
        return BAR.sub(r'<mo stretchy="false" lspace="0" rspace="0">\1</mo>', found)
    except MathError as error:
        logger.warning("mathematics %r: %s", latex, error, location=node)
        return ""


def visit_math(self: HTML5Translator, node: nodes.math) -> None:
    """Write an equation in a line of text."""
    self.body.append(mathml(node, node.astext()))
    raise nodes.SkipNode


def visit_math_block(self: HTML5Translator, node: nodes.math_block) -> None:
    """Write a displayed equation with its number."""
    latex = node.astext()
    tag = TAG.search(latex)
    number = f'<span class="eqno">({self.encode(tag[1])})</span>' if tag else ""
    equation = mathml(node, TAG.sub("", latex))
    self.body.append(f'<div class="math-display"><div class="math-scroll">{equation}</div>{number}</div>\n')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the renderer under the name `mathml`."""
    app.add_html_math_renderer("mathml", (visit_math, None), (visit_math_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}

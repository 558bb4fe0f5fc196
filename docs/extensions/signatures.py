"""Types in the signatures of the reference: arrays by their short name, and links to the public names."""

import inspect
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

import firstmover

ARRAYS = {
    f"ndarray[tuple[Any, ...], dtype[{kind}]]": f"NDArray[{kind}]"
    for kind in ("float64", "bool", "int64", "uint8", "Any", "object_")
}
"""`numpy.typing.NDArray` as Python prints it, and as it is written in the source."""
LONGEST = 20


def shorten_arrays(_app: Sphinx, _domain: str, _kind: str, content: addnodes.desc_content) -> None:
    """Replace the printed forms of `ARRAYS` in the signatures of one object."""
    for signature in content.parent.findall(addnodes.desc_signature):
        for part in signature.findall(nodes.Element):
            for start in reversed(range(len(part.children))):
                text = ""
                for end in range(start, min(start + LONGEST, len(part.children))):
                    text += part.children[end].astext()
                    if text in ARRAYS:
                        part.children[start : end + 1] = [addnodes.desc_sig_name("", ARRAYS[text])]
                        break


def public_name(app: Sphinx, env: BuildEnvironment, node: addnodes.pending_xref, text: nodes.Element) -> Any:
    """Resolve a type by the name under which it is public; other types of annotations remain text.

    A reference that a person wrote, by a role, is left to Sphinx, which warns if nothing has this name.
    """
    if node.get("refdomain") != "py":
        return None
    name = node["reftarget"].rpartition(".")[2]
    value = getattr(firstmover, name, None) if name in firstmover.__all__ else None
    if inspect.isclass(value) and node["reftarget"] in (name, f"{value.__module__}.{value.__qualname__}"):
        found = env.domains.python_domain.resolve_xref(
            env, node["refdoc"], app.builder, "class", f"firstmover.{name}", node, text
        )
        if found is not None:
            return found
    return None if "refwarn" in node else text


def setup(app: Sphinx) -> dict[str, Any]:
    """Register both."""
    app.connect("object-description-transform", shorten_arrays)
    app.connect("missing-reference", public_name)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

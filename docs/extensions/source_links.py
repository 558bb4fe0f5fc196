"""Links from pages to the source code: the role `source`, and relative links to files of the repository.

{source}`firstmover.beliefs.confidence.LemmaWidth` leads to the line of that definition, on the page that
sphinx.ext.viewcode makes of its module. A name that does not exist is a warning of the build.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.transforms import SphinxTransform
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging
from sphinx.util.docutils import SphinxRole
from sphinx.util.nodes import make_refnode

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src"
PAGES = {"CONTRIBUTING.md": "contributing", "CHANGELOG.md": "changelog"}
"""Files of the project's root, and the pages that include them."""
BACK = re.compile(
    r'(?P<link><div [^>]*id="(?P<name>[^"]+)">\n<a class="viewcode-back" href="[^"#]*#)(?P<anchor>[^"]*)"'
)
Tags = dict[str, tuple[str, int, int]]
logger = logging.getLogger(__name__)


class source_name(nodes.Inline, nodes.TextElement):  # noqa: N801 - docutils names nodes after the tags that they become
    """A definition or a module of the package (`target`), resolved after all pages were read."""


def file_of(module: str) -> Path | None:
    """The file of a module of the package."""
    path = SOURCE.joinpath(*module.split("."))
    return next((each for each in (path.with_suffix(".py"), path / "__init__.py") if each.is_file()), None)


@cache
def analysed(module: str) -> tuple[str, Tags] | None:
    """The code of a module and the lines of its definitions, without an import: for viewcode."""
    path = file_of(module)
    if path is None:
        return None
    code = path.read_text("utf-8")
    return code, dict(definitions(ast.parse(code).body))


def definitions(body: list[ast.stmt], within: str = "") -> Iterator[tuple[str, tuple[str, int, int]]]:
    """Every class, function, method and assigned name, with its first and last line."""
    for node in body:
        end = node.end_lineno or node.lineno
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            start = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            yield within + node.name, ("class" if isinstance(node, ast.ClassDef) else "def", start, end)
            if isinstance(node, ast.ClassDef):
                yield from definitions(node.body, f"{within}{node.name}.")
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from (
                (within + each.id, ("other", node.lineno, end)) for each in targets if isinstance(each, ast.Name)
            )


def located(target: str) -> tuple[str, str] | None:
    """The module of a dotted name, and the name inside it: empty for a module."""
    parts = target.split(".")
    for cut in range(len(parts), 0, -1):
        module, inner = ".".join(parts[:cut]), ".".join(parts[cut:])
        found = analysed(module)
        if found is not None:
            return (module, inner) if not inner or inner in found[1] else None
    return None


class Source(SphinxRole):
    """The role: a dotted name, shown without its module."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Return the name as a node that is resolved later."""
        found = located(self.text)
        if found is None:
            logger.warning("there is no definition %r", self.text, location=self.get_location())
            return [nodes.literal(self.text, self.text)], []
        label = found[1] or found[0]
        return [source_name("", "", nodes.literal(label, label), target=self.text)], []


class RepositoryLinks(SphinxTransform):
    """Let relative links, as GitHub has them, lead to the pages of the site for the same files."""

    default_priority = 1

    def apply(self, **kwargs: Any) -> None:  # noqa: ARG002
        """Replace links to modules of the package, and to the files of `PAGES`."""
        for kind in (addnodes.download_reference, addnodes.pending_xref):
            for node in list(self.document.findall(kind)):
                if node.get("reftype") == "myst":
                    self.replace(node)

    def replace(self, node: nodes.Element) -> None:
        """Replace one link."""
        folder = ROOT if self.env.docname in PAGES.values() else Path(self.env.doc2path(self.env.docname)).parent
        target = f"{node['reftarget']}.md" if node["refdomain"] == "doc" else node["reftarget"]
        path = (folder / target).resolve()
        if path.is_relative_to(SOURCE) and (path.is_dir() or path.suffix == ".py"):
            module = ".".join(path.relative_to(SOURCE).with_suffix("").parts)
            node.replace_self(source_name("", "", *node.children, target=module))
        elif path.parent == ROOT and path.name in PAGES:
            node.attributes |= {"refdomain": "doc", "reftarget": PAGES[path.name]}
            node.setdefault("reftargetid", None)


def note_links(_app: Sphinx, env: BuildEnvironment) -> None:
    """Let viewcode make pages of all modules that pages link to, with anchors, also where they have no reference."""
    modules = env.__dict__.setdefault("_viewcode_modules", {})
    for docname in sorted(env.found_docs):
        for node in env.get_doctree(docname).findall(source_name):
            if found := located(node["target"]):
                module, inner = found
                _, _, used, _ = modules.setdefault(module, (*analysed(module), {}, module))
                if inner:
                    used.setdefault(inner, docname)


class ResolveSources(SphinxPostTransform):
    """Turn `source_name` into links to viewcode's pages, which link back to the place of the first such link."""

    default_priority = 90

    def run(self, **kwargs: Any) -> None:  # noqa: ARG002
        """Replace every node of this page."""
        for node in list(self.document.findall(source_name)):
            found = located(node["target"])
            if found is None:
                logger.warning("there is no definition %r", node["target"], location=node)
                node.replace_self(node.children)
                continue
            module, inner = found
            page = f"_modules/{module.replace('.', '/')}"
            builder, docname = self.env.app.builder, self.env.docname
            link = make_refnode(builder, docname, page, inner or None, node.children, node["target"])
            _, _, used, refname = self.env._viewcode_modules[module]  # type: ignore[attr-defined]
            backlink = f"{refname}.{inner}"
            if used.get(inner) == docname and backlink not in self.document.ids:
                link["ids"] = [backlink]
                self.document.ids[backlink] = link
            node.replace_self(link)


def correct_page(app: Sphinx, page: str, _template: str, context: dict[str, Any], _doctree: object) -> None:
    """Correct viewcode's links back to the reference, and leave the tree of pages out, which takes the theme long.

    Viewcode takes all names of a module to be documented under one prefix; here some are `firstmover.NAME`, others
    `firstmover.PACKAGE.NAME`.
    """
    module = page.removeprefix("_modules/").replace("/", ".")
    used = getattr(app.env, "_viewcode_modules", {}).get(module, (None, None, {}, None))[2]
    if not page.startswith("_modules/") or not used:
        return
    context["toctree"] = lambda **_options: ""
    documented = app.env.domains.python_domain.objects

    def corrected(match: re.Match[str]) -> str:
        name = match["name"]
        found = [full for full, each in documented.items() if each.docname == used[name] and full.endswith(f".{name}")]
        return f'{match["link"]}{min(found, key=len) if found else match["anchor"]}"'

    context["body"] = BACK.sub(corrected, context["body"])


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the role, the transforms and the source of modules."""
    app.add_role("source", Source())
    app.add_transform(RepositoryLinks)
    app.add_post_transform(ResolveSources)
    app.connect("viewcode-find-source", lambda _app, module: analysed(module))
    app.connect("env-updated", note_links)
    app.connect("html-page-context", correct_page, priority=100)
    return {"parallel_read_safe": True, "parallel_write_safe": False}

"""One page of HTML that needs nothing else: style and pictures inside, no scripts, nothing loaded from elsewhere."""

import base64
import re
from collections.abc import Iterable
from html import escape
from importlib.resources import files

import polars as pl

from firstmover.report.claims import Claim
from firstmover.report.section import Picture, Section

_NUMBER = re.compile(r"[-−+]?[\d,]+(\.\d+)?( ± [\d,.]+)?( %)?|–|never")

_KINDS = {"reproduces": "holds", "reproduces only under a reading": "partly", "does not reproduce": "fails"}


def page_of(title: str, lead: Iterable[str], claims: list[Claim], sections: list[Section]) -> str:
    """The page: its lead, the claims with their verdicts, if there are any, then the sections."""
    style = (files("firstmover.report") / "page.css").read_text(encoding="utf-8")
    verdicts = ["What became of each claim"] if claims else []
    headings = [*verdicts, *(section.title for section in sections if section.level == 2)]
    parts = [
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="generator" content="firstmover">',
        f"<title>{escape(title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n<main>",
        f"<h1>{escape(title)}</h1>",
        *map(_paragraph, lead),
        _contents(headings),
        *(f'<h2 id="{_anchor(heading)}">{heading}</h2>' for heading in verdicts),
        *map(_claim, claims),
        *map(_section, sections),
        "</main>\n</body>\n</html>\n",
    ]
    return "\n".join(parts)


def _contents(headings: list[str]) -> str:
    items = "\n".join(f'<li><a href="#{_anchor(heading)}">{escape(heading)}</a></li>' for heading in headings)
    return f'<nav aria-label="Contents">\n<ul>\n{items}\n</ul>\n</nav>'


def _claim(claim: Claim) -> str:
    verdict = claim.verdict
    findings = "\n".join(f"<p><b>Preset {r}:</b> {escape(f.words)}</p>" for r, f in claim.findings.items())
    return (
        f'<article class="claim {_KINDS[verdict]}">\n<h3>{escape(claim.title)}</h3>\n'
        f'<p class="quote">“{escape(claim.quote)}”</p>\n<p class="verdict">{verdict}{escape(claim.scope)}</p>\n'
        f"{findings}\n</article>"
    )


def _section(section: Section) -> str:
    heading = f'<h{section.level} id="{_anchor(section.title)}">{escape(section.title)}</h{section.level}>'
    parts = [heading, *map(_paragraph, section.paragraphs)]
    parts += [_table(caption, table) for caption, table in section.tables]
    parts += [_picture(picture) for picture in section.pictures]
    return "\n".join(["<section>", *parts, "</section>"])


def _paragraph(words: str) -> str:
    return f"<p>{escape(words)}</p>"


def _table(caption: str, table: pl.DataFrame) -> str:
    numbers = [all(_NUMBER.fullmatch(cell) for cell in table[column]) for column in table.columns]
    head = "".join(_cell("th", name, right) for name, right in zip(table.columns, numbers, strict=True))
    rows = (
        f"<tr>{''.join(_cell('td', cell, right) for cell, right in zip(row, numbers, strict=True))}</tr>"
        for row in table.iter_rows()
    )
    body = "\n".join(rows)
    return (
        f'<div class="scroll"><table>\n<caption>{escape(caption)}</caption>\n<thead><tr>{head}</tr></thead>\n'
        f"<tbody>\n{body}\n</tbody>\n</table></div>"
    )


def _cell(tag: str, text: str, right: bool) -> str:
    kind = ' class="number"' if right else ""
    return f"<{tag}{kind}>{escape(text)}</{tag}>"


def _picture(picture: Picture) -> str:
    data = base64.b64encode(picture.path.read_bytes()).decode()
    return (
        f'<figure>\n<img src="data:image/png;base64,{data}" alt="{escape(picture.alternative)}">\n'
        f"<figcaption>{escape(picture.caption)}</figcaption>\n</figure>"
    )


def _anchor(title: str) -> str:
    return re.sub(r"\W+", "-", title.lower()).strip("-")

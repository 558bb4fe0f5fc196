"""Self-contained HTML pages made of sections: style and figures are embedded, nothing is loaded, no scripts."""

import base64
import re
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from pathlib import Path

import polars as pl

_NUMBER = re.compile(r"[-−+]?[\d,]+(\.\d+)?( ± [\d,.]+)?( %)?|–|never")


@dataclass(frozen=True)
class Picture:
    """A PNG file on disk, its alternative text and its caption; a narrow one is not enlarged on wide screens."""

    path: Path
    alternative: str
    caption: str
    narrow: bool = False


@dataclass(frozen=True)
class Section:
    """A part of a page: paragraphs, then captioned tables of text, then pictures."""

    title: str
    paragraphs: tuple[str, ...] = ()
    tables: tuple[tuple[str, pl.DataFrame], ...] = ()
    pictures: tuple[Picture, ...] = ()
    level: int = 2


@dataclass(frozen=True)
class Verdict:
    """A claim and its verdict: `kind` is holds, partly or fails; findings are pairs of a heading and a text."""

    title: str
    quote: str
    kind: str
    words: str
    findings: tuple[tuple[str, str], ...]


def page_of(title: str, lead: Iterable[str], claims: list[Verdict], sections: list[Section]) -> str:
    """Return the page: introduction, claims with verdicts, if any, then the sections."""
    style = (files("firstmover.figures") / "page.css").read_text(encoding="utf-8")
    verdicts = ["Claims and verdicts"] if claims else []
    headings = [*verdicts, *(section.title for section in sections if section.level == 2)]
    parts = [
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="generator" content="firstmover">',
        f"<title>{escape(title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n<main>",
        f"<h1>{escape(title)}</h1>",
        *(f"<p>{escape(words)}</p>" for words in lead),
        '<nav aria-label="Contents">\n<ul>',
        *(f'<li><a href="#{_anchor(heading)}">{escape(heading)}</a></li>' for heading in headings),
        "</ul>\n</nav>",
        *(f'<h2 id="{_anchor(heading)}">{heading}</h2>' for heading in verdicts),
        *map(_claim, claims),
        *map(_section, sections),
        "</main>\n</body>\n</html>\n",
    ]
    return "\n".join(parts)


def _claim(claim: Verdict) -> str:
    findings = "\n".join(f"<p><b>{escape(heading)}:</b> {escape(words)}</p>" for heading, words in claim.findings)
    return (
        f'<article class="claim {claim.kind}">\n<h3>{escape(claim.title)}</h3>\n'
        f'<p class="quote">“{escape(claim.quote)}”</p>\n<p class="verdict">{escape(claim.words)}</p>\n'
        f"{findings}\n</article>"
    )


def _section(section: Section) -> str:
    heading = f'<h{section.level} id="{_anchor(section.title)}">{escape(section.title)}</h{section.level}>'
    parts = [heading, *(f"<p>{escape(words)}</p>" for words in section.paragraphs)]
    parts += [_table(caption, table) for caption, table in section.tables]
    for picture in section.pictures:
        data = base64.b64encode(picture.path.read_bytes()).decode()
        opening = '<figure class="narrow">' if picture.narrow else "<figure>"
        parts.append(
            f'{opening}\n<img src="data:image/png;base64,{data}" alt="{escape(picture.alternative)}">\n'
            f"<figcaption>{escape(picture.caption)}</figcaption>\n</figure>"
        )
    return "\n".join(["<section>", *parts, "</section>"])


def _table(caption: str, table: pl.DataFrame) -> str:
    right = [all(_NUMBER.fullmatch(cell) for cell in table[column]) for column in table.columns]

    def row(tag: str, cells: Iterable[str]) -> str:
        classes = [' class="number"' if number else "" for number in right]
        return "".join(f"<{tag}{c}>{escape(cell)}</{tag}>" for c, cell in zip(classes, cells, strict=True))

    body = "\n".join(f"<tr>{row('td', cells)}</tr>" for cells in table.iter_rows())
    return (
        f'<div class="scroll"><table>\n<caption>{escape(caption)}</caption>\n<thead><tr>{row("th", table.columns)}</tr>'
        f"</thead>\n<tbody>\n{body}\n</tbody>\n</table></div>"
    )


def _anchor(title: str) -> str:
    return re.sub(r"\W+", "-", title.lower()).strip("-")

"""What a page is made of: sections with paragraphs, tables and pictures."""

from dataclasses import dataclass, field
from pathlib import Path

import polars as pl


@dataclass(frozen=True)
class Picture:
    """A PNG file on disk, what it shows, and the words beneath it."""

    path: Path
    alternative: str
    caption: str


@dataclass(frozen=True)
class Section:
    """A part of the page: paragraphs, then captioned tables of text, then pictures."""

    title: str
    paragraphs: tuple[str, ...] = ()
    tables: tuple[tuple[str, pl.DataFrame], ...] = ()
    pictures: tuple[Picture, ...] = field(default=())
    level: int = 2

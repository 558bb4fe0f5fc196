"""An entry of the table of figures."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class FigureEntry:
    """A figure by name: a summary, its record from a folder of results, its drawing, its size in inches.

    `first_seed` says that of several seeds only the first is drawn.
    """

    summary: str
    record: Callable[[Path], Any]
    draw: "Callable[[Any, Figure], None]"
    size: tuple[float, float] = (7.6, 4.0)
    first_seed: bool = False

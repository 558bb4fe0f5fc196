"""firstmover plot: a figure from results on disk."""

from pathlib import Path
from typing import Annotated

import typer


def plot(
    name: Annotated[str, typer.Argument(metavar="PLOT", help="A plot of firstmover list plots.")],
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="A folder that firstmover play wrote.")],
    out: Annotated[
        Path | None, typer.Option(help="File to write; PNG and PDF are written both.", show_default="FOLDER/PLOT.png")
    ] = None,
) -> None:
    """Draw results, as PNG and PDF."""
    for path in draw(name, folder, out or folder / name):
        typer.echo(f"Wrote {path}")


def draw(name: str, folder: Path, out: Path) -> list[Path]:
    """The files of the named plot of a folder of results."""
    from firstmover.errors import look_up
    from firstmover.experiments import read, read_manifest
    from firstmover.plots import PLOTS
    from firstmover.plots.figure import figure_of, save

    columns = look_up("plot", name, PLOTS).columns
    return save(figure_of(name, read(folder, columns), read_manifest(folder).title), out)

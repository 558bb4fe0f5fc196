"""firstmover plot: a figure from results on disk."""

from pathlib import Path
from typing import Annotated

import typer


def plot(
    name: Annotated[str, typer.Argument(metavar="PLOT", help="The figure; see firstmover list plots.")],
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="A result folder of firstmover.")],
    out: Annotated[
        Path | None, typer.Option(help="File to write; both PNG and PDF are written.", show_default="FOLDER/PLOT.png")
    ] = None,
) -> None:
    """Draw a figure of stored results as PNG and PDF."""
    from firstmover.figures.files import figure_of, save

    for path in save(figure_of(name, folder), out or folder / name):
        typer.echo(f"Wrote {path}")

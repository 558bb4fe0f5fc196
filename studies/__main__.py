"""Play studies and write their report: `python -m studies --help`."""

from pathlib import Path
from typing import Annotated

import typer

from firstmover.cli.progress import shown
from firstmover.core.errors import FirstmoverError, unknown_name
from firstmover.core.files import atomic_file
from firstmover.figures.html_page import page_of
from firstmover.paper.experiments import play_all
from firstmover.runs.comparison import markdown
from studies import catalogue
from studies.report import TITLE, WORDS, sections_of

app = typer.Typer(add_completion=False)


@app.command()
def studies(
    names: Annotated[
        list[str] | None, typer.Argument(help="Studies to play; all but the arena and fresh games if none is given.")
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for report, results and figure.")] = Path("results"),
    workers: Annotated[int | None, typer.Option(help="Number of processes.")] = None,
    develop: Annotated[bool, typer.Option(help="Play development instances, in OUT/development.")] = False,
) -> None:
    """Play studies beyond the paper: runs in OUT/beyond-NAME, the report of all complete ones in OUT/beyond.html."""
    out = out / "development" if develop else out
    chosen = names or [name for name in catalogue.STUDIES if name not in catalogue.ON_FAMILIES]
    try:
        for name in chosen:
            if name not in catalogue.STUDIES:
                raise unknown_name("study", name, catalogue.STUDIES)
        with shown() as progress:
            play_all([catalogue.replay_of(name, develop) for name in chosen], out, workers, progress)
        sections = sections_of(out)
        with atomic_file(out / "beyond.html") as file:
            file.write(page_of(TITLE, (WORDS,), [], sections).encode())
    except FirstmoverError as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(error.exit_code) from None
    for section in sections:
        for caption, table in section.tables:
            typer.echo(f"{caption}\n\n{markdown(table)}\n")
    typer.echo(f"The report is {out / 'beyond.html'}.")


if __name__ == "__main__":
    app()

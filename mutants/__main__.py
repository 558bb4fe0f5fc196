"""`python -m mutants`: plant random defects, run the tests that execute them, and report those that survive."""

import time
from pathlib import Path
from typing import Annotated

import typer

from mutants.areas import AREAS, Area, sample
from mutants.covering import measured
from mutants.report import judgements, report
from mutants.trials import Trial, tried

ROOT = Path(__file__).parents[1]


def main(
    size: Annotated[int, typer.Option("--sample", help="Number of mutants, equally many in each area.")] = 400,
    seed: Annotated[int, typer.Option(help="Seed of the sample.")] = 7,
    area: Annotated[list[str] | None, typer.Option(help="An area, repeatable.", show_default="all")] = None,
    jobs: Annotated[int, typer.Option(help="Processes.")] = 2,
    out: Annotated[Path, typer.Option(help="Folder of mutants.md and of the coverage that is kept.")] = ROOT
    / "results",
) -> None:
    """Write mutants.md: the share of mutants that the quick tests notice, by area, and the survivors."""
    areas = tuple(each for each in AREAS if area is None or each.name in area)
    if not areas:
        raise typer.BadParameter(f"unknown area: give one of {', '.join(each.name for each in AREAS)}.")
    trials = run(ROOT, areas, size, seed, jobs=jobs, folder=out / "mutants")
    title = f"Mutants: {len(trials)} of seed {seed}"
    (out / "mutants.md").write_text(report(trials, judgements(), title), "utf-8")
    noticed = sum(trial.noticed for trial in trials)
    typer.echo(f"{noticed} of {len(trials)} mutants were noticed: {out / 'mutants.md'} lists the survivors.")


def run(root: Path, areas: tuple[Area, ...], size: int, seed: int, *, jobs: int, folder: Path) -> list[Trial]:
    """Return the trials of a sample, with a line of progress for each."""
    covering = measured(root, folder, jobs)
    mutants = sample(root, areas, size, seed)
    trials, began = [], time.monotonic()
    for trial in tried(root, mutants, covering, jobs):
        trials.append(trial)
        outcome = f"noticed by {trial.by}" if trial.noticed else "SURVIVED"
        place = f"{trial.mutant.file}:{trial.mutant.mutation.first}"
        typer.echo(f"{len(trials)}/{len(mutants)} {time.monotonic() - began:.0f} s {place}: {outcome}")
    return trials


if __name__ == "__main__":
    typer.run(main)

"""firstmover calibrate: the coverage of a learner's confidence boxes."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from firstmover.cli.playing import Workers

if TYPE_CHECKING:
    from firstmover.theory import Proportion

EXPONENT_FROM = 1e4  # the share from which a percentage is written with an exponent


def calibrate(  # noqa: PLR0917 - one parameter per option
    game: Annotated[
        str,
        typer.Argument(
            metavar="GAME",
            help="A game (see firstmover list games), or a result folder (./NAME if a game has the same name).",
        ),
    ],
    draws: Annotated[int, typer.Option(help="Number of response functions to draw.")] = 200,
    rounds: Annotated[int, typer.Option(help="Number of rounds per draw.")] = 25,
    norm: Annotated[float, typer.Option(help="B, the RKHS norm of every function drawn.")] = 2.0,
    failure_probability: Annotated[float, typer.Option(help="δ; the nominal coverage of the boxes is 1 − δ.")] = 0.1,
    regularization: Annotated[
        list[float], typer.Option(help="λ; repeat to compare several.", show_default="0.25, 1 and 4")
    ] = [0.25, 1.0, 4.0],  # noqa: B006 - typer copies it
    noise_std: Annotated[
        float | None, typer.Option(help="Standard deviation of the noise.", show_default="the game's")
    ] = None,
    confidence_width: Annotated[
        float | None, typer.Option(help="The constant β to compare with.", show_default="the game's")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder for the results.", show_default="results/GAME-calibration")
    ] = None,
    workers: Workers = None,
) -> None:
    """Measure the coverage of a learner's confidence boxes.

    For a game: response functions b of known norm are drawn and played against; a draw is covered if the box contains b
    for all actions, types and rounds at once. For a folder of results: the share of observed responses inside the
    interval predicted for them.
    """
    import polars as pl

    from firstmover.cli.progress import shown
    from firstmover.core.errors import InvalidInput
    from firstmover.games import GAMES
    from firstmover.runs import claim, read, run_tasks, save_run
    from firstmover.runs.calibration import CalibrationSpec, calibration_tasks, coverages
    from firstmover.runs.comparison import markdown

    if game not in GAMES and Path(game).is_dir():
        typer.echo(reliability_table(Path(game)))
        typer.echo(f"\nSee it with: firstmover plot reliability {game}")
        return
    if Path(game).name != game and not game.startswith("bimatrix:"):
        raise InvalidInput(f"There is no folder {game!r}: give one that play or run wrote, or a game's name.")

    spec = CalibrationSpec.read(
        {
            "game": game,
            "draws": draws,
            "rounds": rounds,
            "rkhs_norm_bound": norm,
            "failure_probability": failure_probability,
            "regularizations": tuple(regularization),
            "noise_std": noise_std,
            "confidence_width": confidence_width,
        }
    )
    folder = out or Path("results") / f"{game}-calibration"
    with shown() as progress:
        results = run_tasks(calibration_tasks(spec), workers, progress)
        claim(folder, spec.manifest)
        for task, table in results:
            save_run(folder, task, table)
    rows = [
        {
            "λ": f"{found.regularization:g}",
            "width": found.width,
            "b covered": percent(found.share.value),
            "95 % interval": interval_of(found.share),
            "nominal": "–" if found.width == "constant" else percent(1 - spec.failure_probability),
            "width used, median": percent(found.used, 0),
        }
        for found in coverages(read(folder))
    ]
    typer.echo(f"{spec.title}:\n")
    typer.echo(markdown(pl.DataFrame(rows)))
    typer.echo(f"\nResults are in {folder}. See them with: firstmover plot coverage {folder}")


def reliability_table(folder: Path) -> str:
    """Return the nominal and observed coverage of each learner with a model of the responses."""
    import polars as pl

    from firstmover.runs.comparison import markdown
    from firstmover.runs.stored_theory import analysed_runs

    rows = []
    for analysed in analysed_runs(folder):
        curve = analysed.analysis.reliability
        rows += [
            {
                "learner": analysed.label,
                "interval of": percent(level, 0),
                "responses inside": percent(share.value),
                "95 % interval": interval_of(share),
                "responses": f"{share.trials:,}",
            }
            for level, share in zip(curve.levels, curve.shares, strict=True)
        ]
    return markdown(pl.DataFrame(rows))


def interval_of(share: "Proportion") -> str:
    """Return the Clopper-Pearson interval as text."""
    low, high = share.interval
    return f"{percent(low)} to {percent(high)}"


def percent(share: float, decimals: int = 1) -> str:
    """Return a share as text.

    >>> percent(0.9), percent(0.125, 0), percent(2e9)
    ('90.0 %', '12 %', '2e+11 %')
    """
    return f"{100 * share:.{decimals}f} %" if share < EXPONENT_FROM else f"{100 * share:.3g} %"

"""Beyond the paper: whether the park's result holds on other menus."""

from pathlib import Path

import polars as pl

from firstmover.experiments.menus import CLAIMED_ROUND, COLUMNS, summarise_menus
from firstmover.experiments.reproduce import MENUS
from firstmover.experiments.results import Results
from firstmover.plots.figure import drawn, save
from firstmover.plots.menus import draw_menus_held, menus_figure
from firstmover.report.section import Picture, Section


def menus_section(out: Path, readings: list[str]) -> Section:
    """The study as a table and one figure."""
    folders = {reading: out / f"{MENUS}-{reading}" for reading in readings}
    records = {f"preset {reading}": menus_figure(folder) for reading, folder in folders.items()}
    figure = drawn(
        lambda figure: draw_menus_held(records, figure.subplots(1, len(records), sharey=True, squeeze=False)[0]),
        (10.5, 3.8),
    )
    path = save(figure, out / MENUS)[0]
    caption = "On how many of the menus the best patrol is held from some round up to t on, to the end."
    words = (
        "The paper plays on one menu of 500 random patrols. Here the same game is played on "
        f"{next(iter(records.values())).menus} menus drawn in the same way with other seeds, hyperparameters fitted to "
        f"each. In time means by round {CLAIMED_ROUND}; ahead counts the menus on which an algorithm earns the most."
    )
    tables = (("Ours and GP-UCB on other menus", pl.concat(_rows(folder, name) for name, folder in folders.items())),)
    return Section("Beyond the paper: other menus of the park", (words,), tables, (Picture(path, caption, caption),))


def _rows(folder: Path, reading: str) -> pl.DataFrame:
    found = summarise_menus(Results.read(folder, MENUS, (*COLUMNS, "menu")).table)
    of_all = pl.format("{} of {}", pl.col("held_in_time"), pl.col("menus"))
    return found.select(
        preset=pl.lit(reading),
        learner="learner",
        held_in_time=of_all,
        games_never_held=pl.format("{} %", (100 * pl.col("never_held")).round(0).cast(pl.Int64)),
        ahead=pl.format("{} of {}", pl.col("ahead"), pl.col("menus")),
    ).rename({"held_in_time": "best patrol held in time", "games_never_held": "games that never hold it"})

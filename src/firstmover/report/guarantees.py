"""What the paper proves, seen at work in the runs of its own experiments."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from firstmover.errors import InvalidInput
from firstmover.experiments.judged import JudgedRun, judged_runs
from firstmover.plots import PLOTS
from firstmover.plots.bounds import bound_of, draw_bound, draw_split, split_of
from firstmover.plots.coverage import draw_reliability, reliability_of
from firstmover.plots.figure import drawn, save
from firstmover.report.section import Picture, Section

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WORDS = (
    "The first run of each learner that learns responses, gone through again. While boxes hold the response function, "
    "the regret is at most R₁ + R₂: R₁ is what the weights lost on optimistic rewards, R₂ how far these were above "
    "what was earned. The bound is that of Theorem 1 with the information gained, δ = 0.1, and its Lipschitz constant "
    "estimated from the reward; its β is the constant of the experiment, so that it is a guarantee only while boxes "
    "hold. Rewards of the park jump at the borders of cells, and the theorems say nothing of them. The last two "
    "columns say how many of the responses lay inside the interval that had been predicted for them, λ taken as the "
    "variance of the noise. The number behind ours is its β."
)


def guarantees_section(out: Path, played: Sequence[tuple[str, str]]) -> Section:
    """A table of all runs, and three pictures for each experiment that was played."""
    rows, pictures = [], []
    for game, reading in played:
        runs = judged_runs(out / f"{game}-{reading}")
        rows += [(f"{game}, {reading}", *_row(judged)) for judged in runs]
        pictures += _pictures(out / f"{game}-{reading}", runs, f"{game.capitalize()}, preset {reading}")
    columns = ("experiment", "learner", "R(T)", "R₁", "R₂", "gain", "bound", "in 50 %", "in 90 %")
    table = pl.DataFrame(rows, schema=columns, orient="row")
    return Section("Guarantees at work", (WORDS,), (("One run of each learner", table),), tuple(pictures))


def _row(judged: JudgedRun) -> tuple[str, ...]:
    judgement = judged.judgement
    split, curve = judgement.split, judgement.reliability
    inside = dict(zip(curve.levels.round(2).tolist(), curve.observed, strict=True))
    return (
        judged.label,
        *(f"{part[-1]:.1f}" for part in (split.regret, split.weights, split.optimism)),
        f"{judgement.replay.information_gains[-1]:.1f}",
        _bound(judged),
        *(f"{100 * inside[level]:.0f} %" for level in (0.5, 0.9)),
    )


def _bound(judged: JudgedRun) -> str:
    try:
        return f"{judged.judgement.realised_bound.total[-1]:,.0f}"
    except InvalidInput:
        return "–"


def _pictures(folder: Path, runs: list[JudgedRun], words: str) -> list[Picture]:
    first = runs[0]
    wanted: dict[str, tuple[Callable[[Figure], None], str]] = {
        "split": (
            lambda figure: draw_split(split_of(first), figure),
            "Regret of one run split as in the proof: what the weights lost, and what optimism hoped for in vain.",
        ),
        "reliability": (
            lambda figure: draw_reliability(reliability_of(runs), figure),
            "Levels of predicted intervals against the share of responses inside; below the diagonal, too sure.",
        ),
    }
    if _bound(first) != "–":
        wanted["bound"] = (
            lambda figure: draw_bound(bound_of(first), figure),
            "Regret of one run, and the bound above it, term by term.",
        )
    return [
        Picture(save(drawn(draw, PLOTS[name].size), folder / name)[0], caption, f"{caption} {words}.")
        for name, (draw, caption) in wanted.items()
    ]

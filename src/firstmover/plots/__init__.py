"""Record first, draw second: what a figure shows is a plain value; drawing it needs no more than a figure's axes."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from firstmover.experiments.store import read
from firstmover.plots.band import band_figure, draw_band
from firstmover.plots.bounds import bound_figure, draw_bound, draw_split, split_figure
from firstmover.plots.coverage import coverage_figure, draw_coverage, draw_reliability, reliability_figure
from firstmover.plots.curves import Curves, draw_curves
from firstmover.plots.demand import demand_figure, draw_demand
from firstmover.plots.entropy import entropy_curves
from firstmover.plots.gain import draw_gain, gain_figure
from firstmover.plots.menus import draw_menus_held, menus_figure
from firstmover.plots.park import draw_patrols, patrol_figure
from firstmover.plots.regret import regret_curves
from firstmover.plots.rewards import reward_curves
from firstmover.plots.routing import draw_routing, routing_figure
from firstmover.plots.sweep import draw_sweep, sweep_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["PLOTS", "Curves", "PlotEntry", "draw_curves", "regret_curves", "reward_curves"]


@dataclass(frozen=True)
class PlotEntry:
    """A line of the table: what it shows, its record from a folder of results, its drawing, its size in inches."""

    summary: str
    record: Callable[[Path], Any]
    draw: "Callable[[Any, Figure], None]"
    size: tuple[float, float] = (7.6, 4.0)


PLOTS: dict[str, PlotEntry] = {
    "regret": PlotEntry(
        "time-averaged regret R(t) / t of each learner, with 95 % bands over seeds",
        lambda folder: regret_curves(read(folder, ("learner", "seed", "t", "time_averaged_regret"))),
        lambda curves, figure: draw_curves(curves, figure.add_subplot()),
    ),
    "rewards": PlotEntry(
        "time-averaged reward of each learner, with 95 % bands over seeds",
        lambda folder: reward_curves(read(folder, ("learner", "seed", "t", "reward"))),
        lambda curves, figure: draw_curves(curves, figure.add_subplot()),
    ),
    "entropy": PlotEntry(
        "entropy of p_t of each learner, with 95 % bands over seeds: how undecided it is",
        lambda folder: entropy_curves(read(folder, ("learner", "seed", "t", "entropy"))),
        lambda curves, figure: draw_curves(curves, figure.add_subplot()),
    ),
    "bound": PlotEntry("regret of one run with the theorem's bound above it, term by term", bound_figure, draw_bound),
    "split": PlotEntry("regret of one run split as in the proof, R1 and R2", split_figure, draw_split),
    "gain": PlotEntry(
        "information gained by one run, by a greedy choice, its bound, and the kernel's rate", gain_figure, draw_gain
    ),
    "band": PlotEntry(
        "what one run taught of b: mean, box, truth and responses, for one-dimensional games",
        band_figure,
        draw_band,
        (9.6, 3.6),
    ),
    "reliability": PlotEntry(
        "levels of predicted intervals against the share of responses inside", reliability_figure, draw_reliability
    ),
    "coverage": PlotEntry(
        "what calibrate counted: how often boxes held b, against what is promised", coverage_figure, draw_coverage
    ),
    "figure-1": PlotEntry(
        "routing: regret of each learner, and maps of the congestion that three strategies cause",
        routing_figure,
        draw_routing,
        (12.0, 5.0),
    ),
    "figure-2": PlotEntry(
        "wildlife: rewards over rounds with what to compare them with, animal density, and the patrol found",
        patrol_figure,
        draw_patrols,
        (12.0, 4.2),
    ),
    "figure-3": PlotEntry(
        "wildlife: rewards over rounds of both algorithms at every β",
        sweep_figure,
        draw_sweep,
        (12.0, 4.6),
    ),
    "menus": PlotEntry(
        "menus: by which round each algorithm holds the best patrol on other menus of the park",
        lambda folder: {"": menus_figure(folder)},
        lambda records, figure: draw_menus_held(records, [figure.add_subplot()]),
    ),
    "demand": PlotEntry(
        "prices: demand at a station over its price, as believed with its band, as it truly is, and as seen",
        demand_figure,
        draw_demand,
        (12.0, 3.4),
    ),
}

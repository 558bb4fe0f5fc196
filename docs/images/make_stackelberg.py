"""Draw docs/images/stackelberg.png: strategies of StackelUCB in the harbour, and its regret over the horizon.

Run from the project's root: `python docs/images/make_stackelberg.py`, about two minutes. The experiment is that of
tests/paper/test_corollary_3.py; it prints the table of docs/stackelberg.md.
"""

from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.tri import Triangulation
from tests.paper.test_corollary_3 import HORIZONS, bound, played, run_of, slope

from firstmover.core.arrays import Matrix
from firstmover.games import harbour, simplex_grid
from firstmover.games.stackelberg.commitment import best_on_simplex
from firstmover.games.stackelberg.harbour_game import CREWS, harbour_game, let_through, loads_landed

SEEDS = range(10)
PICTURE = Path(__file__).with_name("stackelberg.png")
CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(3) / 2]])
BLUE, ORANGE = "#0072B2", "#E69F00"  # of Okabe and Ito (2008)


def draw_triangle(axes: Axes) -> None:
    """Draw the payoff against the first crew on the simplex, and the strategies of one run, sized by frequency."""
    grid = simplex_grid(3, 0.01)
    payoff = let_through(grid, loads_landed(grid, CREWS[0]))
    shades = axes.tricontourf(Triangulation(*(grid @ CORNERS).T), payoff, levels=12, cmap="Greys_r", alpha=0.7)
    axes.figure.colorbar(shades, ax=axes, label="leader's payoff", shrink=0.75)
    run = run_of("single", 1600, 0)
    menu = harbour_game(1600).actions
    for rounds, colour, marker, label in (
        (slice(0, 200), ORANGE, "s", "rounds 1 to 200"),
        (slice(-200, None), BLUE, "o", "the last 200"),
    ):
        counts = np.bincount(run.actions[rounds], minlength=len(menu))
        seen = counts > 0
        axes.scatter(
            *(menu[seen] @ CORNERS).T,
            s=6 + 3 * counts[seen],
            color=colour,
            marker=marker,
            label=label,
            alpha=0.8,
            linewidths=0,
        )
    best: Matrix = best_on_simplex(harbour(), CREWS[:1]).action[None] @ CORNERS
    axes.scatter(*best.T, marker="*", s=220, color="white", edgecolors="black", label="equilibrium", zorder=3)
    for corner, name, sides in zip(CORNERS, ("quay 1", "quay 2", "quay 3"), ("top", "top", "bottom"), strict=True):
        axes.annotate(name, corner, (0, -4 if sides == "top" else 4), textcoords="offset points", ha="center", va=sides)
    axes.set(aspect="equal", xlim=(-0.25, 1.08), ylim=(-0.1, 0.98))
    axes.set_axis_off()
    axes.legend(loc="upper left", frameon=False)
    axes.set_title("Inspections, against one crew", loc="left")


def draw_regret(axes: Axes) -> None:
    """Draw R(T) / T of runs with horizon T, mean over seeds, and the bound."""
    for opponent, colour, line, label in (
        ("single", BLUE, "o-", "one type"),
        ("adversary", ORANGE, "s--", "three adversarial types"),
    ):
        means = [np.mean([played(opponent, horizon, seed)[0] for seed in SEEDS]) for horizon in HORIZONS]
        axes.loglog(HORIZONS, means, line, color=colour, label=f"{label}, slope {slope(opponent, SEEDS):.2f}")
    without, whole = np.array([bound(horizon) for horizon in HORIZONS]).T / HORIZONS
    axes.loglog(HORIZONS, whole, "k-.", label="bound of Corollary 3")
    axes.loglog(HORIZONS, without, "k:", label="the same without its last term")
    axes.set(xlabel="horizon T", ylabel="R(T) / T", xticks=HORIZONS, xticklabels=HORIZONS, ylim=(0.008, 90))
    axes.minorticks_off()
    axes.legend(frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_title(f"Regret against all mixed strategies, {len(SEEDS)} seeds", loc="left")


def rows() -> list[str]:
    """Return the lines of the table."""
    lines = []
    for horizon in HORIZONS:
        one, three = (
            np.mean([played(opponent, horizon, seed) for seed in SEEDS], axis=0) for opponent in ("single", "adversary")
        )
        without, whole = (value / horizon for value in bound(horizon))
        cells = (f"{one[0]:.4f}", f"{100 * one[1]:.1f} %", f"{three[0]:.4f}", f"{whole:.2f}", f"{without:.2f}")
        lines.append(f"| {horizon} | {harbour_game(horizon).n_actions} | {' | '.join(cells)} |")
    return lines


if __name__ == "__main__":
    mpl.rcParams["font.size"] = 11
    figure = Figure(figsize=(11, 4.6), layout="constrained")
    left, right = figure.subplots(1, 2)
    draw_triangle(left)
    draw_regret(right)
    figure.savefig(PICTURE, dpi=110)
    print("\n".join(rows()))

"""Other menus of the park: by which round each learner holds the best patrol, on how many menus."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from firstmover.experiments.menus import COLUMNS, menus_of
from firstmover.experiments.results import Results
from firstmover.plots.style import look, round_axis
from firstmover.records import Matrix, Vector

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class MenusHeld:
    """On how many of the `menus` each of k learners holds the best patrol from some round up to t on: (k, T)."""

    learners: tuple[str, ...]
    t: Vector
    held: Matrix
    menus: int
    claimed_round: int

    @classmethod
    def of(cls, menus: pl.DataFrame, rounds: int, claimed_round: int = 60) -> "MenusHeld":
        """From one row a menu and learner, with the round `held_from` on.

        >>> table = pl.DataFrame({"learner": ["a"] * 3, "menu": [0, 1, 2], "held_from": [2.0, 4.0, 2.0]})
        >>> MenusHeld.of(table, rounds=3).held
        array([[0., 2., 2.]])
        """
        t = np.arange(1.0, rounds + 1)
        parts = menus.partition_by("learner", maintain_order=True)
        held = [np.searchsorted(np.sort(part["held_from"].to_numpy()), t, side="right") for part in parts]
        return cls(
            tuple(part["learner"][0] for part in parts),
            t,
            np.array(held, dtype=float),
            menus["menu"].n_unique(),
            claimed_round,
        )


def menus_figure(folder: Path) -> MenusHeld:
    """The record of a folder's games."""
    results = Results.read(folder, "menus", (*COLUMNS, "menu"))
    table = menus_of(results.table)
    return MenusHeld.of(table, int(results.table["t"].max()))  # type: ignore[arg-type]  # rounds are whole numbers


def draw_menus_held(records: Mapping[str, MenusHeld], axes: "Sequence[Axes]") -> None:
    """One panel for each titled record, a staircase for each learner; the legend stands beside the last panel."""
    for (title, record), ax in zip(records.items(), axes, strict=True):
        for i, learner in enumerate(record.learners):
            start = 4 + 6 * i  # markers of different lines stand apart
            ax.plot(record.t, record.held[i], drawstyle="steps-post", label=learner, markevery=(start, 12), **look(i))
        claim = f"the paper:\nabout {record.claimed_round} rounds"
        ax.axvline(record.claimed_round, color="0.35", linewidth=1, linestyle=":", label=claim)
        round_axis(ax, record.t)
        ax.set(title=title, ylim=(-0.5, record.menus))
        ax.set_ylabel(f"menus, of {record.menus}, on which the\nbest patrol is held by round t")
        ax.label_outer()
    axes[-1].legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))  # beside, never on, the data

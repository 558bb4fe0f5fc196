"""The figure of the benchmark: CPU time of a run against its rounds, one panel a workload."""

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks.peers.methods import METHODS, OURS
from benchmarks.peers.results import Part, Record

_MARKS = ("", "o", "s", "^", "v", "D", "P", "X", "*")
"""One for each method; firstmover's own line is thick and has none."""


def shown(record: Record) -> list[Part]:
    """For each workload with peers the part with most methods, the longest of these."""
    best: dict[str, Part] = {}
    for part in [p for p in record.parts if len(p.rows) > 1] or record.parts:
        other = best.get(part.workload)
        if other is None or (len(part.rows), part.horizon) > (len(other.rows), other.horizon):
            best[part.workload] = part
    return list(best.values())


def draw(record: Record, path: Path) -> None:
    """Draw to a file; the same record gives the same file."""
    parts = shown(record)
    with rc_context({"svg.hashsalt": "firstmover", "font.size": 9}):
        figure = Figure(figsize=(4.2 * len(parts), 4.2), layout="constrained")
        for i, part in enumerate(parts, start=1):
            _panel(figure.add_subplot(1, len(parts), i), part)
        labels = {text: line for ax in figure.axes for line, text in zip(*ax.get_legend_handles_labels(), strict=True)}
        figure.legend(
            list(labels.values()), list(labels), loc="outside lower center", ncols=len(parts), fontsize=8, frameon=False
        )
        figure.savefig(path, metadata={"Date": None})


def _panel(ax: Axes, part: Part) -> None:
    """Solid where measured, dotted where estimated; marks tell methods apart without colour."""
    for row in part.rows:
        which = list(METHODS).index(row.method)
        color, width = ("black", 2.4) if row.method == OURS else (f"C{which - 1}", 1.2)
        look: dict[str, Any] = {"color": color, "linewidth": width}
        marks: dict[str, Any] = {"marker": _MARKS[which % len(_MARKS)], "markersize": 4, "markevery": (3 * which, 12)}
        ax.plot(row.rounds, row.curve, **look, **marks, label=METHODS[row.method].title)
        if row.total is not None and row.reached < part.horizon:
            ax.plot([row.reached, part.horizon], [row.curve[-1], row.total], ":", **look)
            ax.plot(part.horizon, row.total, **look | marks | {"markevery": None})
    ax.plot(part.horizon, part.limit, "k_", markersize=12, label="limit of the algorithm here")
    ax.set(xscale="log", yscale="log", title=f"{part.workload}, {part.horizon:,} rounds", xlabel="round")
    ax.set_xlim(left=max(1.0, part.horizon / 1000))
    visible = [y for row in part.rows for x, y in zip(row.rounds, row.curve, strict=True) if x >= ax.get_xlim()[0]]
    ax.set_ylim(bottom=np.min([*visible, part.limit]) / 2)
    ax.set_ylabel("CPU seconds of the run so far")
    ax.grid(alpha=0.3)

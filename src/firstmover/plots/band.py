"""The band with the truth inside: what the learner believes of b after its last round, for one-dimensional games."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from firstmover.contracts import Belief
from firstmover.errors import InvalidInput
from firstmover.experiments.judged import JudgedRun, judged_runs
from firstmover.guarantees.replay import beliefs_of
from firstmover.opponents import responses_of
from firstmover.plots.style import look
from firstmover.records import Vector

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_PANELS = 3


@dataclass(frozen=True)
class Band:
    """At one type: mean, box (before it is cut to the domain) and truth of all actions, and what was observed there."""

    opponent_type: str
    actions: Vector
    mean: Vector
    lower: Vector
    upper: Vector
    truth: Vector
    played: Vector
    responses: Vector

    @property
    def inside(self) -> int:
        """At how many actions the box holds b."""
        return int(np.sum((self.lower <= self.truth) & (self.truth <= self.upper)))


@dataclass(frozen=True)
class BandFigure:
    """Whose belief it is, its β after the last round, and the band at each type."""

    learner: str
    confidence_width: float
    bands: tuple[Band, ...]


def band_figure(folder: Path) -> BandFigure:
    """The record of the first learner that learns responses, at the types that came most often."""
    judged = judged_runs(folder)[0]
    game = judged.stage.game
    if game.actions.shape[1] != 1 or game.n_outputs != 1:
        raise InvalidInput(
            f"game {game.name!r} has {game.actions.shape[1]} features of an action and {game.n_outputs} outputs: the "
            "band is drawn for one of each."
        )
    kinds, counts = np.unique(judged.judgement.run.opponent_types, axis=0, return_counts=True)
    often = np.sort(np.argsort(-counts, kind="stable")[:MOST_PANELS])
    *_, last = beliefs_of(judged.judgement.learner.belief, judged.judgement.run)
    width = judged.judgement.learner.confidence(last.information_gain)
    bands = tuple(_band(judged, last, width, kind) for kind in kinds[often])
    return BandFigure(f"{judged.label}, seed {judged.seed}", width, bands)


def _band(judged: JudgedRun, last: Belief, confidence_width: float, kind: Vector) -> Band:
    run, stage = judged.judgement.run, judged.stage
    said = last.predict(kind)
    reach = confidence_width * said.std[:, None]
    met = np.all(run.opponent_types == kind, axis=1)
    order = np.argsort(stage.game.actions[:, 0])
    columns = said.mean, said.mean - reach, said.mean + reach, responses_of(stage.game, stage.opponent.respond, kind)
    mean, lower, upper, truth = (column[order, 0] for column in columns)
    place = stage.game.actions[run.actions[met], 0]
    words = ", ".join(f"{number:g}" for number in kind)
    actions = stage.game.actions[order, 0]
    return Band(f"θ = {words}", actions, mean, lower, upper, truth, place, run.responses[met, 0])


def draw_band(record: BandFigure, figure: "Figure") -> None:
    """One panel a type."""
    axes = figure.subplots(1, len(record.bands), sharey=True, squeeze=False)[0]
    for band, ax in zip(record.bands, axes, strict=True):
        ax.fill_between(band.actions, band.lower, band.upper, color="#56B4E9", alpha=0.3, linewidth=0, label="box")
        ax.plot(band.actions, band.mean, label="mean", **look(0) | {"marker": "none"})
        ax.plot(band.actions, band.truth, label="truth b", **look(1) | {"marker": "none"})
        ax.plot(band.played, band.responses, "k.", markersize=3, alpha=0.5, label="responses")
        title = f"{band.opponent_type}: b inside at {band.inside} of {len(band.actions)}"
        ax.set_title(title, fontsize="medium")
        ax.set_xlabel("action x")
    axes[0].set_ylabel("response y")
    title = f"{record.learner}\nβ = {record.confidence_width:.3g}"
    axes[-1].legend(title=title, loc="upper left", bbox_to_anchor=(1.0, 1.0))

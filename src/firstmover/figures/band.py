"""The posterior of b after the last round with the true b, for one-dimensional games."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from firstmover.core.contracts import Belief
from firstmover.core.errors import InvalidInput
from firstmover.core.records import Vector
from firstmover.figures.entry import FigureEntry
from firstmover.figures.style import look
from firstmover.runs.stored_theory import JudgedRun, judged_runs
from firstmover.simulation import responses_of
from firstmover.theory.replay import beliefs_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_PANELS = 3


@dataclass(frozen=True)
class Band:
    """At one type: mean, box (before clipping to the domain) and true b of all actions, and the observations."""

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
        """The number of actions at which the box contains b."""
        return int(np.sum((self.lower <= self.truth) & (self.truth <= self.upper)))


@dataclass(frozen=True)
class BandFigure:
    """The learner, its β after the last round, and the band at each type."""

    learner: str
    confidence_width: float
    bands: tuple[Band, ...]


def band_figure(folder: Path) -> BandFigure:
    """Return the record of the first learner with a model of the responses, at the most frequent types."""
    judged = judged_runs(folder)[0]
    game = judged.stage.game
    if game.actions.shape[1] != 1 or game.n_outputs != 1:
        raise InvalidInput(
            f"game {game.name!r} has {game.actions.shape[1]} features of an action and {game.n_outputs} outputs: the "
            "band needs one of each."
        )
    types, counts = np.unique(judged.judgement.run.opponent_types, axis=0, return_counts=True)
    frequent = np.sort(np.argsort(-counts, kind="stable")[:MOST_PANELS])
    *_, last = beliefs_of(judged.judgement.learner.belief, judged.judgement.run)
    width = judged.judgement.learner.confidence(last.information_gain)
    bands = tuple(_band(judged, last, width, each) for each in types[frequent])
    return BandFigure(f"{judged.label}, seed {judged.seed}", width, bands)


def _band(judged: JudgedRun, last: Belief, confidence_width: float, opponent_type: Vector) -> Band:
    run, stage = judged.judgement.run, judged.stage
    prediction = last.predict(opponent_type)
    reach = confidence_width * prediction.std[:, None]
    met = np.all(run.opponent_types == opponent_type, axis=1)
    order = np.argsort(stage.game.actions[:, 0])
    mean, truth = prediction.mean, responses_of(stage.game, stage.opponent.respond, opponent_type)
    mean, lower, upper, truth = (values[order, 0] for values in (mean, mean - reach, mean + reach, truth))
    place = stage.game.actions[run.actions[met], 0]
    words = ", ".join(f"{number:g}" for number in opponent_type)
    actions = stage.game.actions[order, 0]
    return Band(f"θ = {words}", actions, mean, lower, upper, truth, place, run.responses[met, 0])


def draw_band(record: BandFigure, figure: "Figure") -> None:
    """Draw a panel per type."""
    axes = figure.subplots(1, len(record.bands), sharey=True, squeeze=False)[0]
    for band, ax in zip(record.bands, axes, strict=True):
        ax.fill_between(band.actions, band.lower, band.upper, color="#56B4E9", alpha=0.3, linewidth=0, label="box")
        ax.plot(band.actions, band.mean, label="mean", **look(0) | {"marker": "none"})
        ax.plot(band.actions, band.truth, label="true b", **look(1) | {"marker": "none"})
        ax.plot(band.played, band.responses, "k.", markersize=3, alpha=0.5, label="responses")
        title = f"{band.opponent_type}: b inside at {band.inside} of {len(band.actions)}"
        ax.set_title(title, fontsize="medium")
        ax.set_xlabel("action x")
    axes[0].set_ylabel("response y")
    title = f"{record.learner}\nβ = {record.confidence_width:.3g}"
    axes[-1].legend(title=title, loc="upper left", bbox_to_anchor=(1.0, 1.0))


BAND = FigureEntry(
    "posterior of b after one run: mean, box, true b and responses, for one-dimensional games",
    band_figure,
    draw_band,
    (9.6, 3.6),
    first_seed=True,
)

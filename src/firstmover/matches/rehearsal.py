"""Rehearse a match: simulated seasons against opponents that are fitted to a table of the past."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from firstmover.beliefs import ConstantWidth
from firstmover.beliefs.conformal import adaptive_widths
from firstmover.beliefs.fitted import FittedBelief
from firstmover.core.arrays import Matrix, Vector, as_count
from firstmover.core.contracts import Learner
from firstmover.core.errors import InvalidInput, unknown_name
from firstmover.core.numerics import one_thread
from firstmover.learners.decision_rules import DecisionRules, Floor
from firstmover.learners.exp3 import Exp3
from firstmover.learners.stackelucb import StackelUCB
from firstmover.matches.config import MatchConfig, read_document
from firstmover.matches.events import Draft
from firstmover.matches.history import read_history, recorded
from firstmover.matches.learner_state import Learning, learnt
from firstmover.matches.setup import Setting
from firstmover.matches.table_reader import Reading
from firstmover.matches.value_schema import Types
from firstmover.simulation.confounding import OUTCOME, Confounding, confounding, outcome_like
from firstmover.simulation.gains import Gain
from firstmover.simulation.held_out import HeldOut, advantage_of_decisions, judged
from firstmover.simulation.response_model import BeliefModel, History, ResponseModel
from firstmover.simulation.seasons import Seasons

BELIEF = "belief"
"""The name of the library's own model; others are names of scikit-learn's regressors."""

EVERY = 10
"""Learners that are only compared, and the late rounds with a floor, are played in every tenth season."""

EARLY = 12
"""Rounds that are played with a floor in all seasons."""

ENOUGH = 50
"""Rounds of a history from which on the learner keeps the hyperparameters that fit the history during a season."""

PAPER_WIDTH = 0.5
"""β of the paper's learner, as in its routing experiment."""

NORMAL = float(adaptive_widths(np.empty(0), 0.1)[0])
"""Half the width of a 90 % band before errors were observed, in predicted standard deviations."""

Watch = Callable[[int, int], object]
"""Called with the seasons that were played and their number."""


@dataclass(frozen=True, eq=False)
class Rehearsal:
    """The model that was fitted to a history, and what each policy earned in seasons against opponents drawn from it.

    Parameters
    ----------
    title
        Of the configuration.
    source
        Name of the history.
    rounds_used, left_out
        Rows that the model learnt from, and others.
    model
        Name of the model.
    held_out
        The errors of its forecasts.
    decisions
        By how many standard errors forecasts are better than those that do not know the decisions.
    confounding
        Signs that decisions depended on the opponent.
    recorded
        What the table earned per round.
    learner
        Name of the learner of the configuration.
    baseline
        Label of the action under the floor.
    at_least
        The share of the floor.
    match
        What the learner of the configuration earned.
    floored_early
        The same with a floor under the baseline, in the first rounds of all seasons.
    floored
        The same in every tenth season, whole.
    others
        The best fixed action in hindsight, the paper's learner and Exp3.
    oracle
        A policy that knows the drawn function.

    Examples
    --------
    >>> from firstmover.matches import rehearse
    >>> config = {"menu": {"rows": [{"price": 1.0}, {"price": 2.0}]}, "types": []}
    >>> config["responses"] = [{"name": "sold", "lower": 0.0, "upper": 20.0}]
    >>> config["reward"] = {"responses": {"sold": "price"}}
    >>> past = [{"action": i % 2, "type": {}, "response": 10 - 3 * (i % 2) + 0.1 * (i % 3)} for i in range(24)]
    >>> found = rehearse(config, past, model="Ridge", seasons=2, rounds=3)
    >>> found.learner, found.rounds_used
    ('auto', 24)
    """

    title: str
    source: str
    rounds_used: int
    left_out: int
    model: str
    held_out: HeldOut
    decisions: float
    confounding: Confounding
    recorded: float
    learner: str
    baseline: str
    at_least: float
    match: Gain
    floored_early: Gain
    floored: Gain
    others: tuple[Gain, ...]
    oracle: Gain

    @property
    def of_oracle(self) -> float:
        """The share that the match earns of what the oracle does: 1 − (lost to it) / (size of what it earned)."""
        return _share(self.match.earned, self.oracle.earned)

    @property
    def of_oracle_late(self) -> float:
        """The same over the last quarter of the rounds."""
        late = slice(-max(1, self.match.rounds // 4), None)
        return _share(self.match.earned[:, late], self.oracle.earned[:, late])

    @property
    def floor_cost(self) -> float:
        """The share of its earnings that the match loses to the floor, in the seasons that were played with it."""
        return 1 - _share(self.floored.earned, self.match.earned[::EVERY])

    def lines(self) -> list[str]:
        """The figures in sentences: the headline, then the answers to three questions."""
        from firstmover.matches.rehearsal_report import report_lines

        return report_lines(self)

    @property
    def floored_in_all(self) -> Gain:
        """The match with a floor in all seasons: what it earns without one, and the mean difference where both played.

        The seasons that were played with a floor alone may be better or worse ones than all.
        """
        difference = (self.floored.earned - self.match.earned[::EVERY]).mean(axis=0)
        return Gain(self.floored.name, self.match.earned + difference, self.match.present)

    def as_dict(self) -> dict[str, Any]:
        """The figures by name, for programs."""
        return {
            "title": self.title,
            "source": self.source,
            "rounds_used": self.rounds_used,
            "left_out": self.left_out,
            "model": self.model,
            "held_out": self.held_out.as_dict(),
            "advantage_of_decisions": self.decisions,
            "confounding": list(self.confounding.signs),
            "recorded_per_round": self.recorded,
            "present_per_round": float(self.match.present.mean()),
            "learner": self.learner,
            "match": self.match.as_dict(),
            "share_of_oracle": self.of_oracle,
            "share_of_oracle_late": self.of_oracle_late,
            "floor": {"baseline": self.baseline, "at_least": self.at_least, "cost": self.floor_cost},
            "with_floor_early": self.floored_early.as_dict(),
            "with_floor": self.floored.as_dict(),
            "others": [gain.as_dict() for gain in self.others],
            "oracle": self.oracle.as_dict(),
        }


def _share(earned: Matrix, of: Matrix) -> float:
    return float(1 - (of - earned).mean() / abs(of.mean()))


def rehearse(
    config: Mapping[str, Any] | MatchConfig | Path | str,
    history: Any,
    *,
    model: str = BELIEF,
    seasons: int = 100,
    rounds: int = 104,
    seed: int = 0,
    columns: Mapping[str, str] | None = None,
    decimal: str | None = None,
    watch: Watch | None = None,
) -> Rehearsal:
    """Fit a model of the opponent to a table of the past, and play seasons of a match against draws of it.

    Parameters
    ----------
    config
        A configuration: a table, a `MatchConfig`, or the path of a TOML or JSON file.
    history
        The past, as in `Match.import_history`.
    model
        "belief", the belief of `auto`, or the name of a regressor of scikit-learn.
    seasons
        Number of simulated seasons, 2 or more.
    rounds
        Rounds per season.
    seed
        Of the draws.
    columns, decimal
        As in `Match.import_history`.
    watch
        Called with the seasons that were played and their number.

    Returns
    -------
    Rehearsal
        What each policy earns, with the accuracy of the model.

    Raises
    ------
    InvalidInput
        If the history does not fit the configuration, or the model forecasts no better than a constant.

    Examples
    --------
    >>> from firstmover.matches import rehearse
    >>> config = {"menu": {"rows": [{"price": 1.0}, {"price": 2.0}]}, "types": []}
    >>> config["responses"] = [{"name": "sold", "lower": 0.0, "upper": 20.0}]
    >>> config["reward"] = {"responses": {"sold": "price"}}
    >>> past = [{"action": i % 2, "type": {}, "response": 10 - 3 * (i % 2) + 0.1 * (i % 3)} for i in range(24)]
    >>> rehearse(config, past, model="Ridge", seasons=2, rounds=3).match.earned.shape
    (2, 3)
    """
    as_count("seasons", seasons, least=2)
    as_count("rounds", rounds)
    fields = read_document(Path(config)) if isinstance(config, str | Path) else config
    setting = Setting.of(fields)
    _check_numbers(setting)
    read = read_history(history, setting, Reading.of(columns, decimal).named(setting), Reading())
    rows = [recorded(place, row, setting) for place, row in read.rows]
    used = [row for row in rows if learnt(row)]
    past = _observed(setting, used)
    moving = _checked_types(setting, past)
    with one_thread():
        fitted, held_out = judged(_model(model, setting, past), past, setting.responses.names)
        if held_out.refusal is not None:
            raise InvalidInput(held_out.refusal)
        wider = np.maximum(1.0, held_out.width / NORMAL)
        drawn = Seasons.drawn(
            setting.game, fitted.refitted(), past, n=seasons, rounds=rounds, seed=seed, noise_factor=wider
        )
        decisions = advantage_of_decisions(_model(model, setting, past), past, held_out)
        rehearsed = _played(setting, used, drawn, past, watch or (lambda *_: None))
    source = history.name if isinstance(history, Path) else "the history"
    actions = past.nearest(setting.game)
    earned = setting.game.reward(setting.game.actions[actions], past.responses)
    signs = confounding(past, setting.menu.features, _type_names(setting, past), setting.responses.names)
    return Rehearsal(
        setting.config.title,
        source,
        len(used),
        len(rows) - len(used),
        model,
        held_out,
        decisions,
        Confounding((*moving, *signs.signs)),
        float(np.mean(earned)),
        (setting.config.learner or {})["name"],
        **rehearsed,
    )


def _checked_types(setting: Setting, past: History) -> list[str]:
    """Sentences on types that move with the decisions; raise InvalidInput for one that looks like an outcome."""
    found = outcome_like(past, setting.game.context, _type_names(setting, past))
    for name, share in found.items():
        if share > OUTCOME:
            raise InvalidInput(
                f"type {name!r} moves with what you decide ({share:.0%} of its variation): it looks like an outcome, "
                "and no opponent has it before the decision; make it a response, or leave it out of the types."
            )
    return [
        f"{share:.0%} of the variation of {name}, which is told afterwards, goes along with what you decide: if it is "
        "an outcome, leave it out of the types."
        for name, share in found.items()
    ]


def _check_numbers(setting: Setting) -> None:
    if setting.commits or setting.responses.levels is not None:
        raise InvalidInput(
            "The response of this match is one of some levels: only matches whose responses are numbers are rehearsed, "
            "so create the match without a rehearsal."
        )


def _model(name: str, setting: Setting, past: History) -> ResponseModel:
    """The model before the first round of the history."""
    if name == BELIEF:
        return BeliefModel.start(setting.game, past)
    from sklearn.utils import all_estimators

    from firstmover.simulation.regressor_model import RegressorModel

    known = dict(all_estimators(type_filter="regressor"))
    if name not in known:
        raise unknown_name("model", name, [BELIEF, *known])
    try:
        return RegressorModel.start(known[name](), setting.game, past)
    except TypeError:
        raise InvalidInput(f"model {name!r} needs an estimator of its own: choose another one.") from None


def _observed(setting: Setting, rows: list[dict[str, Any]]) -> History:
    """The rows of a history as arrays."""
    names, menu = setting.menu.features, setting.game.actions
    features = [[row["features"][n] for n in names] if "features" in row else menu[row["action"]] for row in rows]
    types = [setting.types.vector(row["type"]) for row in rows]
    responses = [setting.responses.vector(row["response"]) for row in rows]
    return History(np.array(features, dtype=float), np.array(types), np.array(responses))


def _type_names(setting: Setting, past: History) -> list[str]:
    """The name of the type that each coordinate of θ belongs to."""
    types = setting.types
    return list(types.coordinates) if isinstance(types, Types) else ["type"] * past.types.shape[1]


def _played(
    setting: Setting, rows: list[dict[str, Any]], drawn: Seasons, past: History, watch: Watch
) -> dict[str, Any]:
    """What every policy earns, by the names of the fields of a Rehearsal."""
    game, rounds = setting.game, drawn.rounds
    learner, belief = _after_history(setting, rows)
    plain, floor = _rules(setting, past)
    present = drawn.of_actions(drawn.present)
    early = min(EARLY, rounds)
    own, first, whole = [], [], []
    compared: dict[str, list[Vector]] = {}
    rivals: dict[str, Learner] = {
        "StackelUCB": StackelUCB.anytime(game, belief, ConstantWidth(PAPER_WIDTH)),
        "Exp3": Exp3.start(replace(game, reward_range=drawn.reward_range), rounds),
    }
    for season in range(drawn.count):
        own.append(drawn.played_by(learner, season, rounds, plain))
        length = early if season % EVERY else rounds
        earned = drawn.played_by(learner, season, length, floor)
        first.append(earned[:early])
        if not season % EVERY:
            whole.append(earned)
            for name, rival in rivals.items():
                compared.setdefault(name, []).append(drawn.played_by(rival, season, rounds))
        watch(season + 1, drawn.count)
    some = present[::EVERY]
    assert floor.floor is not None
    return {
        "baseline": setting.menu.labels[floor.floor.baseline],
        "at_least": floor.floor.at_least,
        "match": Gain("match", np.array(own), present),
        "floored_early": Gain("with a floor", np.array(first), present[:, :early]),
        "floored": Gain("with a floor", np.array(whole), some),
        "others": (
            Gain("best single action", drawn.of_best_fixed(), present),
            *(Gain(name, np.array(earned), some) for name, earned in compared.items()),
        ),
        "oracle": Gain("oracle", drawn.of_oracle(), present),
    }


def _after_history(setting: Setting, rows: list[dict[str, Any]]) -> tuple[Learner, Any]:
    """The learner of a match that has imported the history, and its belief about responses."""
    learning = Learning.start(setting).after(Draft("imported", {"rows": rows}))
    if learning.fit_due:
        learning = learning.after(Draft("refitted", learning.fit()))
    learner, belief = learning.learner, learning.belief
    if isinstance(belief, FittedBelief) and len(rows) >= ENOUGH:
        belief = belief.held()
        if setting.shares(learner):
            learner = replace(learner, belief=belief)  # type: ignore[type-var]
    return learner, belief


def _rules(setting: Setting, past: History) -> tuple[DecisionRules | None, DecisionRules]:
    """The rules of the configuration without a floor, and with one: its own, or below what was played most of late."""
    own = setting.rules or DecisionRules()
    plain = replace(own, floor=None)
    latest = past.nearest(setting.game)[-max(1, len(past.responses) // 4) :]
    floor = own.floor or Floor(int(np.bincount(latest, minlength=setting.game.n_actions).argmax()))
    return (None if plain == DecisionRules() else plain), replace(own, floor=floor)

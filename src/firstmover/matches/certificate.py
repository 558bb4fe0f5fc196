"""The certificate of a match: with some confidence, at most how much was lost against the best fixed action."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from firstmover.core.arrays import Mask
from firstmover.core.errors import FirstmoverError, InvalidInput, counted
from firstmover.core.numerics import one_thread
from firstmover.games.map_record import short
from firstmover.matches.learner_state import learnt, observations
from firstmover.matches.rounds import MatchRound
from firstmover.matches.state import State

CONFIDENCE = 0.9
"""The confidence of an estimate; that of a theorem is 1 − δ of the configuration."""

FEW = 30
"""Observations below which estimates are often too small, so that `status` has none."""

MOST_PAIRS, MOST_SUMS = 300, 1000
"""Different pairs of action and type, and actions × outputs, up to which `status` has a certificate: 0.3 s."""


@dataclass(frozen=True)
class MatchCertificate:
    """With probability `confidence`, at most `loss` was lost against the best fixed action over the told rounds.

    `action` is the one that is likeliest to have earned more, and `expected` what the best one is expected to have
    earned more. `proved` tells a theorem about an opponent of bounded norm from an estimate by the belief. `remarks`
    says which rounds and rewards are meant where that is not obvious.
    """

    loss: float
    per_round: float
    expected: float
    action: str
    rounds: int
    confidence: float
    proved: bool
    remarks: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """All of it by name, for programs."""
        return asdict(self)

    @property
    def sentence(self) -> str:
        """The bound in one sentence."""
        basis = "if the norm of the responses and their noise are as configured" if self.proved else "an estimate"
        return (
            f"With {self.confidence:.0%} confidence you have lost at most {short(self.loss)} against the best fixed "
            f"action, {short(self.per_round)} per round ({basis})."
        )

    def lines(self) -> list[str]:
        """All of it in sentences."""
        expected = (
            f"The best fixed action is expected to have earned {short(self.expected)} more than the actions played"
            if self.expected > 0
            else "No fixed action is expected to have earned more than the actions played"
        )
        return [
            self.sentence,
            f"{expected} in {counted(self.rounds, 'told round')}; {self.action!r} is the likeliest to have.",
            *self.remarks,
        ]


def certificate_of(state: State) -> MatchCertificate:
    """Return the certificate of a match as of its last event; raise where it does not apply."""
    from firstmover.beliefs import LemmaWidth
    from firstmover.theory.certificate import NormBound, estimated_certificate, proved_certificate

    setting = state.setting
    if not _applies(state):
        raise InvalidInput(
            "a certificate compares actions by responses that are numbers: this match has commitments or places."
        )
    if not state.told:
        raise InvalidInput("no round was told yet.")
    with one_thread():
        learning, played, width = state.learning, _played(state), setting.confidence
        if _proves(state):
            assert isinstance(width, LemmaWidth)
            found = proved_certificate(setting.game, setting.kernel(), played, NormBound.of(width))
        else:
            found = estimated_certificate(setting.game, learning.belief, played, CONFIDENCE)
    label = setting.menu.labels[found.action]
    numbers = found.loss, found.per_round, found.expected
    few = (
        []
        if found.proved or _observed(state) >= FEW
        else [f"Estimates from fewer than {FEW} observations are often too small."]
    )
    remarks = tuple(few + _remarks(state))
    return MatchCertificate(*numbers, label, found.rounds, found.confidence, found.proved, remarks)


def _observed(state: State) -> int:
    """The number of observations that the belief knows."""
    return state.told + len(state.records) + sum(state.imports.values())


def _proves(state: State) -> bool:
    """Whether the configuration has the assumptions of a theorem, and nothing was fitted."""
    from firstmover.beliefs import LemmaWidth

    setting = state.setting
    fixed = setting.config.hyperparameters.source == "config" and not state.refits
    return setting.has_kernel and fixed and isinstance(setting.confidence, LemmaWidth)


def _applies(state: State) -> bool:
    """Whether rounds are actions, and responses are numbers."""
    return not state.setting.commits and state.setting.game.places is None


def _played(state: State) -> Any:
    """All observations in their order, and which of them are told rounds."""
    from firstmover.theory.compared_rounds import Played

    setting, steps = state.setting, state.steps
    rounds, allowed = list[bool](), list[Mask]()
    for step in steps:
        closed: tuple[int, ...] = ()
        count = 1
        if isinstance(step, MatchRound):
            closed = (*step.without, *setting.added_since(step.asked))
        else:
            count = sum(map(learnt, step.payload.get("rows", ())))
        rounds += [isinstance(step, MatchRound)] * count
        allowed += [~np.isin(np.arange(setting.game.n_actions), (*closed, *setting.menu.retired))] * count
    seen = getattr(state.learning.belief, "seen", None)  # of a fitted belief, also with actions off the menu
    seen = tuple(observations(setting, steps)) if seen is None else seen
    return Played(
        np.array([each.action for each in seen], dtype=np.intp),
        np.array([each.opponent_type for each in seen]),
        np.array([each.response for each in seen]),
        np.array(rounds),
        np.array(allowed),
    )


def _remarks(state: State) -> list[str]:
    """The meaning of the certificate, where rounds, actions or rewards are not all alike."""
    setting, told = state.setting, [step for step in state.steps if isinstance(step, MatchRound)]
    overridden = sum(each.played is not None for each in told)
    masked = any(each.without or setting.added_since(each.asked) for each in told) or bool(setting.menu.retired)
    void = sum(each.status == "void" for each in state.rounds.values())
    changed = any(setting.at(each.closed).config.reward != setting.config.reward for each in told)
    costs = setting.rules is not None and setting.rules.change_cost
    remarks = {
        f"{counted(overridden, 'round')} with another action than advised: what was played counts.": overridden,
        "An action is compared over the rounds in which it was on the menu and allowed; retired ones are left out.": (
            masked
        ),
        f"{counted(void, 'void round')} left out.": void,
        "All rounds count by the present reward.": changed,
        "Costs of changing the action are left out.": costs,
        "The opponent may have changed, by the alarms of the status: the certificate assumes that it did not.": (
            state.learning.monitor is not None and state.learning.monitor.alarms
        ),
    }
    return [sentence for sentence, applies in remarks.items() if applies]


def short_certificate(state: State) -> str | None:
    """Return the sentence for the status of a match; None without a certificate, from few observations, or if slow."""
    game, observed = state.setting.game, _observed(state)
    pairs = observed if game.types is None else min(observed, game.n_actions * len(game.types))
    quick = pairs <= MOST_PAIRS and game.n_actions * game.n_outputs <= MOST_SUMS
    if not (_applies(state) and state.told and quick and (observed >= FEW or _proves(state))):
        return None
    try:
        return certificate_of(state).sentence
    except FirstmoverError as error:
        return f"No certificate of what was lost: {error}"

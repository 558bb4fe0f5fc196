"""Why an action was advised: what it and the next ones are expected to earn, and what would change the advice."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from firstmover.core.arrays import Mask, Vector
from firstmover.core.numerics import one_thread
from firstmover.games.map_record import percent, short
from firstmover.matches.assumed_types import AssumedType, assumed_types
from firstmover.matches.candidates import Candidate, Valuation, valuation
from firstmover.matches.commands import in_words
from firstmover.matches.influence import Influence, influences
from firstmover.matches.observed_rows import observed_rows
from firstmover.matches.rounds import MatchRound
from firstmover.matches.state import State
from firstmover.matches.turning_points import CERTAIN, Outlook, Span, outlook, refit_follows

SHOWN = 3
"""Actions that are compared, past observations that are named, and responses that are varied."""


@dataclass(frozen=True)
class Explanation:
    """The advised action and the next ones, the reasons, the observations that matter most, and what would change it.

    `context` and `without` are those of the round. `outlooks` say what is advised next after each response: for the
    likeliest types, and for the likeliest of them for each of the first responses; none where responses are levels.
    """

    round_id: str
    action: str
    context: dict[str, Any] | None
    without: tuple[str, ...]
    candidates: tuple[Candidate, ...]
    reasons: tuple[str, ...]
    influences: tuple[Influence, ...]
    outlooks: tuple[Outlook, ...]

    def as_dict(self) -> dict[str, Any]:
        """All of it by name, for programs."""
        return asdict(self)

    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> "Explanation":
        """Return the explanation that `as_dict` described."""
        outlooks = [
            Outlook(**each | {"spans": tuple(Span(**span) for span in each["spans"]), "others": tuple(each["others"])})
            for each in fields["outlooks"]
        ]
        parts = {
            "without": tuple(fields["without"]),
            "candidates": tuple(Candidate(**each) for each in fields["candidates"]),
            "reasons": tuple(fields["reasons"]),
            "influences": tuple(Influence(**each) for each in fields["influences"]),
            "outlooks": tuple(outlooks),
        }
        return cls(**fields | parts)

    def lines(self) -> list[str]:
        """All of it in sentences."""
        chosen, *others = self.candidates
        known = in_words(self.context, None)
        found = [
            f"{self.action!r} is advised{f' for {known}' if known else ''}, with probability "
            f"{percent(chosen.probability)}: {chosen.words()}."
        ]
        found += [f"{each.label!r} has probability {percent(each.probability)}: {each.words()}." for each in others]
        found += self.reasons
        if self.influences:
            named = "; ".join(_influence_words(each) for each in self.influences)
            found.append(f"The prediction for {self.action!r} rests most on {named}.")
        return found + self._outlook_lines()

    def _outlook_lines(self) -> list[str]:
        if not self.outlooks:
            return ["Which response would change the advice is not computed for responses that are levels."]
        same = [
            *([f"the same context, {in_words(self.context, None)}"] if self.context else []),
            *([f"without {', '.join(self.without)} as now"] if self.without else []),
        ]
        asked = f" in {', and '.join(same)}" if same else ""
        first = (
            f"What would change the advice: suppose that {self.action!r} is played, its response is told, and the next "
            f"round is asked{asked}."
        )
        if any(each.refit for each in self.outlooks):
            first += " The model is fitted again then, which is taken into account."
        if len({each.assumption for each in self.outlooks}) > 1:
            first += " The usual type comes first."
        if any(each.others for each in self.outlooks):
            first += " One response is varied at a time; the others are as expected."
        return [first, *(each.line() for each in self.outlooks)]


def _influence_words(each: Influence) -> str:
    rounded = {
        name: float(f"{value:.4g}") if isinstance(value, float) else value
        for name, value in (each.opponent_type | each.response).items()
    }
    observed = in_words(rounded, None)
    return f"{each.name} ({each.label}: {observed}; weight {short(float(f'{each.weight:.2g}'))})"


def explained(state: State, played: MatchRound, strategy: Vector) -> Explanation:
    """Return why the action of a pending round was advised, by what is known now."""
    state = replace(state, _known=None)  # a learner of its own: responses are tried on its buffers
    setting, action = state.setting, played.action
    assert action is not None
    with one_thread():
        rows = observed_rows(state)
        values = valuation(state, rows, played.context, strategy)
        mask, others = setting.mask(played.without), runners_up(values, action, setting.mask(played.without))
        likely = assumed_types(setting, rows, played.context)
        outlooks = tuple(outlook(state, played, assumed, output) for assumed, output in _varied(state, played, likely))
        return Explanation(
            played.round_id,
            setting.menu.labels[action],
            played.context,
            tuple(setting.menu.labels[i] for i in played.without),
            tuple(values.candidate(i) for i in [action, *others]),
            tuple(reasons_of(state, played, values, mask)),
            influences(state, rows, action, likely[0].vector, SHOWN),
            outlooks,
        )


def runners_up(values: Valuation, action: int, mask: Mask | None) -> list[int]:
    """Return the other actions that are allowed with the highest values, the highest first."""
    order = np.argsort(-values.optimistic, kind="stable")
    return [int(i) for i in order if i != action and (mask is None or mask[i])][: SHOWN - 1]


def _varied(state: State, played: MatchRound, likely: Sequence[AssumedType]) -> list[tuple[AssumedType, int]]:
    """Types and outputs whose response is varied: all outputs at the likeliest type, one at the others.

    Only one where the model has several outputs and is fitted again for each response, which takes long.
    """
    responses = state.setting.responses
    if responses.levels is not None:
        return []
    if len(responses.names) > 1 and refit_follows(state, played, likely[0]):
        return [(likely[0], 0)]
    outputs = range(min(SHOWN, len(responses.names)))
    return [(likely[0], output) for output in outputs] + [(each, 0) for each in likely[1:]]


def reasons_of(state: State, played: MatchRound, values: Valuation, mask: Mask | None) -> list[str]:
    """Return sentences on why the action of a round was chosen and not another one."""
    from firstmover.learners import GPMW, StackelUCB

    found, menu, action = [], range(len(values.labels)), played.action
    assert action is not None
    added = state.setting.added_since(played.asked)
    allowed = [i for i in menu if (mask is None or mask[i]) and i not in added]
    if isinstance(state.learning.learner, StackelUCB | GPMW):
        found.append("This learner weighs a round by what it knew before: a response counts from the second round on.")
    if state.learnt[0] > played.asked:
        found.append("More was observed, or changed, since this round was asked: expected rewards are those of now.")
    if added:
        found.append(f"{', '.join(repr(values.labels[i]) for i in added)} was added after this round was asked.")
    if played.without:
        found.append(f"{len(played.without)} of {len(menu)} actions were not allowed in this round.")
    rule = _rule(state, played, mask)
    if rule is not None:
        return [*found, rule]
    label, probability = values.labels[action], float(values.probabilities[action])
    likeliest = values.best(allowed, values.probabilities)
    valued, earning = values.best(allowed, values.optimistic), values.best(allowed, values.expected)
    if probability < CERTAIN:
        found.append(_drawn(state, action, likeliest, values))
    elif values.optimistic[action] >= values.optimistic[valued]:
        found.append(f"{label!r} has the highest value of all actions that are allowed.")
    else:
        found.append(
            f"{values.labels[valued]!r} has a higher value on average over the types so far; the learner counts past "
            f"rounds by their context and order, and by these counts {label!r} leads."
        )
    gap = float(values.expected[earning] - values.expected[action])
    if gap > 0:
        found.append(
            f"{values.labels[earning]!r} is expected to earn {short(gap)} more than {label!r}, which may earn up to "
            f"{short(float(values.upper[action]))}."
        )
    else:
        found.append(f"No action that is allowed is expected to earn more than {label!r}.")
    return found


def _drawn(state: State, action: int, likeliest: int, values: Valuation) -> str:
    """A sentence about an action that was drawn from several."""
    chances, warm = values.probabilities, state.setting.config.warm_start
    other = chances[likeliest] > chances[action]
    which = (
        f"{values.labels[likeliest]!r} was likelier, {percent(float(chances[likeliest]))}"
        if other
        else "no other one was likelier"
    )
    told = "" if state.told or warm else " No round was told yet, and probabilities follow rounds, not imported rows."
    return f"The action was drawn at random by its probability; {which}.{told}"


def _rule(state: State, played: MatchRound, mask: Mask | None) -> str | None:
    """The rule that decided instead of the learner, in words; None if the learner did."""
    setting = state.setting
    rules, config = setting.rules, setting.config
    if rules is None:
        return None
    past = state.past_rounds
    before = past._replace(actions=list(past.actions)[: played.number - 1], contexts=past.contexts[: played.number - 1])
    context = None if played.context is None else setting.context.vector(played.context)
    rule = rules.deciding_rule(state.learning.learner, setting.game, before, context, mask)
    if rule == "hold":
        return f"The rule hold = {config.hold} decided: the action of the round before is kept until its block ends."
    if rule == "change_cost":
        return (
            f"The rule change_cost = {config.change_cost:g} decided: the action of the round before is kept, since a "
            "change has not paid for its cost yet."
        )
    if rule == "floor" and rules.floor is not None:
        baseline = setting.menu.labels[rules.floor.baseline]
        permitted = rules.mask(state.learning.learner, setting.game, before, context, mask)
        return (
            f"The floor decided: {int(permitted.sum())} of {len(permitted)} actions are allowed and safe enough to "
            f"earn {rules.floor.at_least:.0%} of {baseline!r}; the learner's own choice is another one."
        )
    return None

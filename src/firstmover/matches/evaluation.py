"""What other policies would have earned in the told rounds of a match, by the model and by propensities."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from firstmover.beliefs.joint import joint_posterior
from firstmover.core.arrays import Matrix
from firstmover.core.errors import InvalidInput
from firstmover.core.numerics import one_thread
from firstmover.matches.events import unpacked
from firstmover.matches.journal import Journal
from firstmover.matches.learner_state import learnt, observations
from firstmover.matches.other_learner import Replayed
from firstmover.matches.policies import ToldRounds, policy_of
from firstmover.matches.policy_values import PolicyValue, PolicyValues
from firstmover.matches.round_rewards import definitions_of, earned, with_reward
from firstmover.matches.rounds import MatchRound
from firstmover.matches.state import State
from firstmover.theory.off_policy import Evaluation, Record, Responses, evaluate, reward_model

FEW = 30.0
"""Effective sample size below which estimates by propensities are not to be trusted."""

LITTLE = 0.01
"""Share of a policy's probability on actions with p_t = 0, or not allowed, from which on that is said."""


def told_rounds(state: State, journal: Journal) -> ToldRounds:
    """Return the told rounds with their strategies; raise if there are none, or if rounds commit to mixtures."""
    if state.setting.commits:
        raise InvalidInput("A match that commits to mixtures has no propensities: its policies are not evaluated.")
    rounds, n = [played for played in state.rounds.values() if played.status == "told"], len(state.setting.menu.labels)
    if not rounds:
        raise InvalidInput("No round was told yet: tell some, and ask again.")
    strategies, allowed = np.zeros((len(rounds), n)), np.ones((len(rounds), n), dtype=bool)
    for t, played in enumerate(rounds):
        strategy = unpacked(journal.event(played.asked).payload["strategy"])
        strategies[t, : len(strategy)] = strategy  # actions that were added later had no chance
        allowed[t, [*played.without, *state.setting.added_since(played.asked)]] = False
    return ToldRounds(rounds, strategies, allowed)


class Question(NamedTuple):
    """Policies by name, other learners, another reward for all rounds if it is not None, and a seed of draws."""

    policies: Mapping[str, object]
    learners: Sequence[str | Mapping[str, Any]]
    reward: object
    seed: int


def evaluated(state: State, journal: Journal, question: Question) -> PolicyValues:
    """Return the values of policies and then of learners in the told rounds."""
    told, setting = told_rounds(state, journal), state.setting
    arrays = {name: policy_of(state, told, name, policy) for name, policy in question.policies.items()}
    other = None if question.reward is None else with_reward(setting, question.reward)
    with one_thread():
        game, definitions = setting.game, definitions_of(state, told, other)
        responses = _responses(state, told)
        model = reward_model(game, responses, definitions, np.random.default_rng(question.seed))
        actions = np.array([played.action_played for played in told.rounds])
        drawn = np.array([played.played is None for played in told.rounds])
        record = Record(told.strategies, actions, earned(state, told, definitions), drawn)
        found = _rows(evaluate(record, model, arrays.values()), told, arrays) if arrays else []
        replayed = Replayed(state, told, other or setting, responses, definitions, model)
        found += [replayed.value(learner, question.seed) for learner in question.learners]
    return PolicyValues(len(told.rounds), int(drawn.sum()), float(record.rewards.mean()), tuple(found))


def _responses(state: State, told: ToldRounds) -> Responses:
    """The joint posterior at the types of the told rounds, with the place of each round and of its observation."""
    setting, number, count = state.setting, dict[str, int](), 0
    for step in state.steps:
        if isinstance(step, MatchRound):
            number[step.round_id] = count
            count += 1
        else:
            count += sum(map(learnt, step.payload.get("rows", ())))
    rows = np.array([setting.types.vector(played.opponent_type or {}) for played in told.rounds])
    types, places = np.unique(rows, axis=0, return_inverse=True)
    seen = list(observations(setting, state.steps))
    posterior = joint_posterior(state.learning.belief, setting.game, seen, types)
    return Responses(posterior, places, np.array([number[played.round_id] for played in told.rounds]))


def _rows(found: Evaluation, told: ToldRounds, arrays: Mapping[str, Matrix]) -> list[PolicyValue]:
    parts = ("inverse_propensity", "self_normalised", "doubly_robust")
    rows = []
    for i, name in enumerate(arrays):
        size, uncovered = float(found.effective_sample_size[i]), float(found.uncovered[i])
        numbers = {part: getattr(found, part) for part in parts} if size else {}
        estimates = {part: float(each.value[i]) for part, each in numbers.items()}
        errors = {f"{part}_error": float(each.error[i]) for part, each in numbers.items()}
        model = found.model
        warning = _warning(size, uncovered, float(np.mean(np.sum(arrays[name] * ~told.allowed, axis=1))))
        ends = float(model.value[i]), float(model.lower[i]), float(model.upper[i])
        finite: dict[str, Any] = {
            key: value if np.isfinite(value) else None for key, value in (estimates | errors).items()
        }
        rows.append(
            PolicyValue(name, *ends, **finite, effective_sample_size=size, uncovered=uncovered, warning=warning)
        )
    return rows


def _warning(size: float, uncovered: float, not_allowed: float) -> str:
    """The reasons for which the propensities, or the model too, say little about a policy."""
    found = []
    if not size:
        found.append("no overlap: its actions were never drawn, so the value is the model's alone")
    elif size < FEW:
        found.append(f"little overlap: {size:.1f} effective rounds, so the value is the model's")
    if uncovered >= LITTLE:
        found.append(f"{uncovered:.0%} of its probability is on actions with p_t = 0")
    if not_allowed >= LITTLE:
        found.append(f"{not_allowed:.0%} on actions that were not allowed")
    return "; ".join(found)

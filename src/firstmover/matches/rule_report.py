"""The rules of a match in sentences: what they did so far and what they cost."""

from typing import TYPE_CHECKING

import numpy as np

from firstmover.core.contracts import Learner
from firstmover.core.errors import counted
from firstmover.matches.state import State

if TYPE_CHECKING:
    from firstmover.learners.decision_rules import PastRounds


def rule_lines(state: State, learner: Learner) -> tuple[str, ...]:
    """Return sentences about each rule of the configuration; none without rules.

    Only rounds that were told count: a reader may not see the actions of others yet.
    """
    rules = state.setting.rules
    if rules is None:
        return ()
    from firstmover.learners.decision_rules import changes

    lines, config, past = [], state.setting.config, told_rounds(state)
    if rules.floor is not None:
        lines += floor_lines(state, learner, past)
    if config.hold is not None:
        lines.append(f"Blocks: an action is kept for {counted(rules.hold, 'round')}, as long as it is allowed.")
    made = int(np.sum(changes(past.actions)))
    if config.change_cost is not None:
        lines.append(
            f"Changes: the action changed {counted(made, 'time')}, which cost {made * rules.change_cost:g} in all, "
            f"{rules.change_cost:g} each."
        )
    return tuple(lines)


def told_rounds(state: State) -> "PastRounds":
    """The rounds that were told, in the order in which they were asked."""
    told = [played.status == "told" for played in state.rounds.values()]
    past = state.past_rounds
    actions = [action for action, kept in zip(past.actions, told, strict=True) if kept]
    return past._replace(actions=actions, contexts=past.contexts[told])


def floor_lines(state: State, learner: Learner, past: "PastRounds") -> list[str]:
    """The rounds below the floor by the present belief, each in its context, and what the floor costs."""
    from firstmover.learners.mean_rewards import mean_rewards, response_belief, type_shares

    setting, rules = state.setting, state.setting.rules
    assert rules is not None
    floor = rules.floor
    assert floor is not None
    labels, game, retired = setting.menu.labels, setting.game, list(setting.menu.retired)
    but = f" but {floor.tolerance:.0%} of the" if floor.tolerance else ""
    name = f"Floor: {floor.at_least:.0%} of {labels[floor.baseline]!r} in all{but} rounds"
    rewards = mean_rewards(game, response_belief(learner), type_shares(game, past.types))
    if rewards is None:
        return [f"{name}; nothing is known about other actions yet, so it is played wherever it is allowed."]
    judged = rules.judged(learner, game, past)
    mean = rewards.mean.copy()
    mean[retired] = -np.inf
    safe = floor.safe(floor.risks(rewards))
    safe[retired] = False
    permitted = rules.mask(learner, game, past, None, setting.mask(retired))
    best, kept = int(np.argmax(mean)), int(np.argmax(np.where(permitted, mean, -np.inf)))
    price = float(mean[best] - mean[kept])
    lead = f" per round, the lead of {labels[best]!r} over {labels[kept]!r}" if price else ""
    count = (
        f" By the present belief {int(judged.below.sum())} of {counted(len(past.actions), 'told round')} lay below it; "
        f"{int(judged.unsafe.sum())} had an action that is not safe."
    )
    return [
        f"{name}.{count if len(past.actions) else ''}",
        f"The floor costs {price:.4g}{lead}; {int(safe.sum())} of {len(labels) - len(retired)} actions are safe, on "
        "average over all types so far.",
    ]

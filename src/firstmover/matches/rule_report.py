"""The rules of a match in sentences: what they did so far and what they cost."""

import numpy as np

from firstmover.core.contracts import Learner
from firstmover.core.errors import counted
from firstmover.matches.state import State


def rule_lines(state: State, learner: Learner) -> tuple[str, ...]:
    """Return one sentence for each rule of the configuration; none without rules."""
    rules = state.setting.rules
    if rules is None:
        return ()
    from firstmover.learners.decision_rules import changes

    lines, config = [], state.setting.config
    if rules.floor is not None:
        lines += floor_lines(state, learner)
    if config.hold is not None:
        lines.append(f"Blocks: an action is kept for {counted(rules.hold, 'round')}, as long as it is allowed.")
    made = int(np.sum(changes(state.past_rounds.actions)))
    if config.change_cost is not None:
        lines.append(
            f"Changes: the action changed {counted(made, 'time')}, which cost {made * rules.change_cost:g} in all, "
            f"{rules.change_cost:g} each."
        )
    return tuple(lines)


def floor_lines(state: State, learner: Learner) -> list[str]:
    """The rounds below the floor by the present belief over all types so far, and what the floor costs."""
    from firstmover.learners.mean_rewards import mean_rewards, response_belief, type_shares

    setting, rules, past = state.setting, state.setting.rules, state.past_rounds
    assert rules is not None
    floor = rules.floor
    assert floor is not None
    labels, game = setting.menu.labels, setting.game
    name = f"Floor: {floor.at_least:.0%} of {labels[floor.baseline]!r}"
    rewards = mean_rewards(game, response_belief(learner), type_shares(game, past.types))
    if rewards is None:
        return [f"{name}; nothing is known about other actions yet, so only this one is allowed."]
    risks = floor.risks(rewards)
    trials = int(np.sum(rules.trials(learner, game, past)))
    below = int(np.sum(rewards.mean[list(past.actions)] < floor.of(float(rewards.mean[floor.baseline]))))
    mask, best = rules.mask(learner, game, past, None, None), int(np.argmax(rewards.mean))
    kept = int(np.argmax(np.where(mask, rewards.mean, -np.inf)))
    price = float(rewards.mean[best] - rewards.mean[kept])
    lead = f" per round, the lead of {labels[best]!r} over {labels[kept]!r}" if price else ""
    return [
        f"{name}, in all but {floor.tolerance:.0%} of the rounds. By the present belief {below} of "
        f"{counted(len(past.actions), 'round')} lay below it; {trials} had an action that is not safe.",
        f"The floor costs {price:.4g}{lead}; {int(floor.safe(risks).sum())} of {len(labels)} actions are safe.",
    ]

"""The rewards of told rounds: the definition in force when each was told, or another one for all of them."""

from dataclasses import replace
from typing import Any

import numpy as np

from firstmover.core.arrays import Vector
from firstmover.core.errors import InvalidInput
from firstmover.matches.changes import set_reward
from firstmover.matches.policies import ToldRounds
from firstmover.matches.reward_sentence import coefficient, evaluated, parse_reward
from firstmover.matches.setup import Setting
from firstmover.matches.state import State
from firstmover.theory.off_policy import Definitions


def with_reward(setting: Setting, reward: object) -> Setting:
    """Return the setting with another reward: a table as in a configuration, or a sentence such as "price * sold"."""
    if not isinstance(reward, str):
        return set_reward(setting, reward).setting
    menu, responses = setting.menu, setting.responses
    sentence = parse_reward(reward, list(menu.columns), responses.names)
    for name, is_log in zip(responses.names, responses.logarithms, strict=False):
        if name in sentence.responses and is_log != (name in sentence.logarithms):
            raise InvalidInput(f"reward is {reward!r}: write {f'exp({name})' if is_log else name}, as it is recorded.")
    columns, worths = dict(menu.columns), dict[str, Any]()
    for name, polynomial in {"": sentence.value, **sentence.responses}.items():
        worths[name] = coefficient(polynomial)
        if worths[name] is None:  # no column of the menu: it gets one
            worths[name] = f"asked worth of {name or 'all'}"
            columns[worths[name]] = evaluated(polynomial, menu.columns)
    table = {"value": worths.pop(""), "responses": worths}
    return set_reward(replace(setting, menu=replace(menu, columns=columns)), table).setting


def definitions_of(state: State, told: ToldRounds, other: Setting | None = None) -> Definitions:
    """Return the rewards in force when the rounds were told, over the present menu; or that of another setting."""
    if other is not None:
        return Definitions([other.game.reward], np.zeros(len(told.rounds), dtype=int))
    former = [state.setting.at(played.closed) for played in told.rounds]
    specs = [each.config.reward for each in former]
    different = [spec for i, spec in enumerate(specs) if spec not in specs[:i]]
    first = [former[specs.index(spec)] for spec in different]
    rewards = [replace(each, menu=state.setting.menu, before=()).game.reward for each in first]
    return Definitions(rewards, np.array([different.index(spec) for spec in specs]))


def earned(state: State, told: ToldRounds, definitions: Definitions) -> Vector:
    """Return r of the action and response of each round (T,), without costs of changes."""
    game, found = state.setting.game, []
    for played, which in zip(told.rounds, definitions.number, strict=True):
        assert played.response is not None
        assert played.action_played is not None
        response = state.setting.responses.vector(played.response)
        found.append(definitions.rewards[which](game.actions[[played.action_played]], response[None])[0])
    return np.array(found, dtype=float)

"""Environments of gymnasium and PettingZoo: their own checkers, and equality with `play`."""

import contextlib
import io
import subprocess
import sys
from dataclasses import replace
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, seed_test

import firstmover as fm
from firstmover.core.errors import InvalidInput
from firstmover.core.records import Run
from firstmover.learners import fixed_action
from firstmover.simulation.agent_view import LARGEST_NORMAL, AgentView
from firstmover.simulation.episode import mixture
from tests.contracts.tables import behaviour_of, game_of, some_types

gymnasium.register_envs(fm.LeaderEnv)
RESPONDING = [name for name in fm.GAMES if not fm.GAMES[name].opponents(game_of(name)).sees_commitment]


def opponent_of(name: str) -> fm.Opponent:
    """Built once: a city takes long."""
    return fm.opponent_for(name, game_of(name), "random")


@pytest.mark.parametrize("mixed", [False, True])
@pytest.mark.parametrize("name", fm.GAMES)
def test_gymnasium_finds_nothing_wrong_with_a_leader(name: str, mixed: bool) -> None:
    """Warnings are errors here."""
    given = {"game": game_of(name), "opponent": opponent_of(name), "horizon": 4}
    check_env(gymnasium.make("firstmover/Leader-v0", mixed=mixed, **given).unwrapped)


@pytest.mark.parametrize("name", RESPONDING)
def test_gymnasium_finds_nothing_wrong_with_an_adversary(name: str) -> None:
    game, entry = game_of(name), fm.GAMES[name]
    learner = fm.StackelUCB.start(game, entry.kernel, entry.regularization, entry.confidence_width, horizon=4)
    given = {"game": game, "opponent": opponent_of(name), "types": some_types(name), "horizon": 4}
    check_env(gymnasium.make("firstmover/Adversary-v0", learner=learner, **given).unwrapped)


@pytest.mark.parametrize("name", ["shore", "wildlife", "city"])
def test_pettingzoo_finds_nothing_wrong(name: str) -> None:
    def env() -> fm.StackelbergAEC:
        return fm.StackelbergAEC(game_of(name), opponent_of(name), horizon=10)

    with contextlib.redirect_stdout(io.StringIO()):
        api_test(env(), num_cycles=30)
    seed_test(env, num_cycles=30)


def finished(env: gymnasium.Env[Any, Any], choose: Any, seed: int) -> tuple[list[float], Run]:
    """The rewards of an episode, and its rounds."""
    observation, _ = env.reset(seed=seed)
    rewards, done = [], False
    while not done:
        assert observation in env.observation_space
        observation, reward, terminated, done, _ = env.step(choose(observation))
        rewards.append(reward)
        assert terminated is False
    assert observation in env.observation_space
    return rewards, Run.of(env.episode.past)  # type: ignore[attr-defined]


def same(one: Run, other: Run) -> bool:
    fields = "strategies", "actions", "opponent_types", "true_responses", "responses", "rewards"
    return all(np.array_equal(getattr(one, field), getattr(other, field)) for field in fields)


def test_the_adversary_of_the_library_plays_in_the_environment_as_in_the_loop() -> None:
    env = fm.AdversaryEnv("shore", horizon=40)
    worst = fm.Adversary(env.types, fm.true_rewards(env.game, env.opponent.respond))

    def choose(observation: Any) -> int:
        kind = worst.draw(observation[1:], [], np.random.default_rng(0))
        return int(np.flatnonzero((env.types == kind).all(axis=1))[0])

    rewards, run = finished(env, choose, seed=7)
    expected = fm.play_run(env.game, replace(env.opponent, types=worst), env._first, rounds=40, seed=7)
    assert same(run, expected)
    assert rewards == (-expected.rewards).tolist()


@pytest.mark.parametrize("mixed", [False, True])
def test_a_leader_that_repeats_an_action_plays_as_in_the_loop(mixed: bool) -> None:
    env = fm.LeaderEnv("flock", "adversary", horizon=30, mixed=mixed)
    action = np.eye(49)[11] if mixed else np.array(11)  # as an agent of Stable-Baselines3 returns it
    rewards, run = finished(env, lambda _: action, seed=3)
    expected = fm.play_run(env.game, env.opponent, fixed_action(11, 49), rounds=30, seed=3)
    assert same(run, expected)
    observed = [float(env.game.reward(env.game.actions[[11]], y[None])[0]) for y in expected.responses]
    assert rewards == observed != expected.rewards.tolist()


def test_an_episode_without_a_seed_differs_and_is_replayed_by_the_seed_before_it() -> None:
    env = fm.LeaderEnv("shore", horizon=5)
    first, second = (finished(env, lambda _: 4, seed=1)[0] for _ in range(2))
    assert first == second
    third = [finished(env, lambda _: 4, seed=None)[0] for _ in range(2)]  # type: ignore[arg-type]
    assert first != third[0] != third[1]
    env.reset(seed=1)
    assert [finished(env, lambda _: 4, seed=None)[0] for _ in range(2)] == third  # type: ignore[arg-type]


def test_what_a_leader_observes() -> None:
    env = fm.LeaderEnv("shore", "cyclic", horizon=4)
    observation, info = env.reset(seed=0)
    assert observation.tolist() == [1, 0, 0, 0, 0, 0, 0]
    assert info == {}
    env.step(1)
    observation, reward, _, _, info = env.step(2)
    assert observation.tolist() == [0.5, 0, 1, 0, 0, 0, *env.episode.past[-1].response]
    assert info["action"] == 2
    assert info["true_reward"] == env.episode.past[-1].reward != reward
    assert env.render() is None
    env = fm.LeaderEnv("shore", "cyclic", horizon=4, render_mode="ansi")
    env.reset(seed=0)
    assert env.render() == "No round was played."
    env.step(2)
    assert str(env.render()).startswith("Round 1: action 2, type (0")


def with_context() -> tuple[fm.Game, fm.Opponent]:
    """Types (weekend, temperature), of which the first feature is known."""
    types = np.array([[0.0, 10.0], [0.0, 20.0], [1.0, 10.0]])
    reward = fm.increasing(lambda price, sold: price[:, 0] * sold[:, 0])
    game = fm.Game("kiosk", [[1.0], [2.0]], reward, fm.Box([0.0], [50.0]), types=types, context=(0,))
    return game, fm.Opponent(fm.Cyclic(types), lambda price, kind: 10 + kind.sum() - price)


def test_a_leader_sees_the_context_before_it_moves_and_the_type_after() -> None:
    env = fm.LeaderEnv(*with_context(), horizon=10)
    seen = [env.reset(seed=0)[0], *(env.step(0)[0] for _ in range(3))]
    assert [observation[1] for observation in seen] == [0, 0, 1, 0]
    assert [observation[2:5].tolist() for observation in seen[1:]] == np.eye(3).tolist()
    assert env.observation_space.low[1] == 0
    assert env.observation_space.high[1] == 1


def test_types_that_are_always_new_are_observed_by_their_features() -> None:
    game, types = fm.Game("any", [[1.0]], fm.increasing(lambda _, y: y[:, 0]), fm.Box([-1], [1])), [0.25, 0.75]
    env = fm.LeaderEnv(game, fm.Opponent(fm.Scripted([types, types]), lambda x, kind: 0 * x + kind[0]), horizon=2)
    assert env.reset(seed=0)[0].tolist() == [1, 0, 0, 0]
    assert env.step(0)[0].tolist() == [0.5, *types, 0.25]


def test_the_bounds_of_responses_hold_for_the_largest_noise() -> None:
    """The tail of the ziggurat method: r + x with x² < 2 y and y ≤ 53 log 2."""
    assert LARGEST_NORMAL > 3.6541528853610088 + np.sqrt(2 * 53 * np.log(2)) > LARGEST_NORMAL - 0.1
    box = fm.Box([0.0, -np.inf, 2.0], [1.0, 5.0, np.inf])
    game = fm.Game("three", [[1.0]], fm.increasing(lambda _, y: y[:, 0]), box, types=[[0.0]])
    opponent = fm.Opponent(fm.single([0.0]), lambda x, _: np.zeros((len(x), 3)), noise_std=np.array([1.0, 2.0, 3.0]))
    low, high = AgentView(game, opponent, 1, game.types).of_response
    assert low == pytest.approx([-12.3, -1e150, 2 - 36.9], abs=1e-8)
    assert high == pytest.approx([13.3, 5 + 24.6, 1e150], abs=1e-8)


def test_the_bounds_of_a_context_that_does_not_vary_are_wide() -> None:
    game, opponent = with_context()
    low, high = AgentView(replace(game, context=(1, 0)), opponent, 1, game.types).of_context
    assert (low.tolist(), high.tolist()) == ([10, 0], [20, 1])
    constant = replace(game, types=np.array([[3.0, 1.0], [3.0, 2.0]]))
    low, high = AgentView(constant, opponent, 1, constant.types).of_context
    assert (low.tolist(), high.tolist()) == ([-1e150], [1e150])


def test_the_follower_sees_the_commitment_and_not_the_action() -> None:
    env = fm.StackelbergAEC("shore", horizon=2)
    env.reset(seed=0)
    weights = np.arange(24.0)
    before = env.observe("leader_0")
    assert before[-24:].tolist() == [0.0] * 24
    env.step(weights)
    assert env.agent_selection == "follower_0"
    assert env.observe("follower_0")[-24:] == pytest.approx(weights / weights.sum())
    assert env.observe("follower_0")[:-24].tolist() == before[:-24].tolist()
    env.step(3)
    played = env.episode.past[-1]
    assert played.opponent_type.tolist() == env.types[3].tolist()
    assert env.rewards["follower_0"] == -played.reward
    noisy = env.game.reward(env.game.actions[[played.action]], played.response[None])[0]
    assert env.rewards["leader_0"] == noisy != played.reward
    assert env.observe("leader_0")[:6].tolist() == [0.5, 0, 0, 0, 1, 0]


def test_weights_become_a_strategy_even_if_they_are_tiny() -> None:
    assert mixture([1e-320, 3e-320], 2) == pytest.approx([0.25, 0.75], rel=1e-3)
    assert mixture(np.zeros(4), 4).tolist() == [0.25] * 4


@pytest.mark.parametrize(
    ("build", "sentence"),
    [
        (lambda: fm.LeaderEnv("sohre"), "Unknown game 'sohre': did you mean 'shore'"),
        (lambda: fm.LeaderEnv("shore", "nobody"), "Unknown opponent 'nobody'"),
        (lambda: fm.LeaderEnv(game_of("shore")), "opponent is 'random', and the game is not named: give an Opponent"),
        (lambda: fm.LeaderEnv("shore", 3), "opponent is 3: give an Opponent, or the name of one"),  # type: ignore[arg-type]
        (lambda: fm.LeaderEnv(3), "game is 3: give a Game"),  # type: ignore[arg-type]
        (lambda: fm.LeaderEnv("shore", horizon=0), "horizon is 0: give 1 or more"),
        (lambda: fm.AdversaryEnv("routing"), "game 'routing' has no finite set of types: give some as types"),
        (lambda: fm.AdversaryEnv("shore", types=np.empty((0, 1))), "types has no rows: give at least one type"),
        (lambda: fm.AdversaryEnv(*with_context()[:1], fm.Exp3, with_context()[1]), "'kiosk' has a context"),
        (lambda: fm.AdversaryEnv(game_of("shore"), "exp3", opponent_of("shore")), "learner is 'exp3', and the game"),
        (lambda: fm.AdversaryEnv("harbour", "growing"), "whose menu grows: give one whose strategies keep"),
    ],
)
def test_what_cannot_be_played_is_one_sentence(build: Any, sentence: str) -> None:
    with pytest.raises(InvalidInput, match=sentence):
        build()


@pytest.mark.parametrize(
    ("mixed", "action", "sentence"),
    [
        (False, 24, "action is 24: give an index from 0 to 23"),
        (False, 0.5, "action is 0.5: give a whole number"),
        (True, [1.0], r"weights has 1 number\(s\): give 24"),
        (True, [-1.0] * 24, "weights has the value -1: give weights of 0 or more"),
    ],
)
def test_an_impossible_move_is_one_sentence(mixed: bool, action: Any, sentence: str) -> None:
    env = fm.LeaderEnv("shore", mixed=mixed)
    env.reset(seed=0)
    with pytest.raises(InvalidInput, match=sentence):
        env.step(action)


@pytest.mark.parametrize("kind", [fm.LeaderEnv, fm.AdversaryEnv])
def test_rounds_are_played_only_between_a_reset_and_the_end(kind: Any) -> None:
    env = kind("shore", horizon=2)
    with pytest.raises(InvalidInput, match="no round of 0 is left in this episode: call reset first"):
        env.step(1)
    env.reset(seed=0)
    env.step(1)
    assert env.step(1)[3]
    with pytest.raises(InvalidInput, match="no round of 2 is left in this episode: call reset first"):
        env.step(1)
    assert len(env.episode.past) == 2


def test_types_of_another_game_are_refused() -> None:
    env = fm.LeaderEnv(game_of("flock"), opponent_of("shore"))
    env.reset(seed=0)
    with pytest.raises(InvalidInput, match=r"opponent_type has 1 feature\(s\): types of game 'flock' have 2"):
        env.step(0)
    with pytest.raises(InvalidInput, match=r"types has 7 column\(s\): types of game 'shore' have 1"):
        fm.AdversaryEnv("shore", types=[[1, 2, 3, 4, 5, 6, 7]])
    with pytest.raises(InvalidInput, match=r"types has the row \[99.0\]: game 'shore' has no such type"):
        fm.AdversaryEnv("shore", "hedge", types=[[99.0]])


def test_without_the_extras_everything_else_works_and_the_environments_say_what_to_install() -> None:
    program = """
import sys
for name in ("gymnasium", "pettingzoo", "pyspiel"):
    sys.modules[name] = None
from importlib import util
find = util.find_spec
util.find_spec = lambda name, *rest: None if sys.modules.get(name, 0) is None else find(name, *rest)
import firstmover as fm
assert "LeaderEnv" not in fm.__all__ and "ResponseRegressor" in fm.__all__
for use in (lambda: fm.LeaderEnv, lambda: fm.StackelbergAEC, lambda: fm.from_openspiel("matrix_pd")):
    try:
        use()
    except fm.InvalidInput as error:
        print(error)
"""
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    agents, openspiel = (f"run pip install '.[{extra}]' in a clone of firstmover." for extra in ("agents", "openspiel"))
    assert done.stdout.splitlines() == [
        f"gymnasium is not installed: {agents}",
        f"pettingzoo is not installed: {agents}",
        f"OpenSpiel is not installed: {openspiel}",
    ]


def test_the_behaviour_of_every_game_is_known_to_these_tests() -> None:
    assert {name for name in fm.GAMES if behaviour_of(name).sees_commitment} == {"patrols"}

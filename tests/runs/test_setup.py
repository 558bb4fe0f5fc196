from collections.abc import Callable
from itertools import islice

import numpy as np
import pytest

from firstmover.beliefs import FiniteBelief
from firstmover.core.errors import InvalidInput
from firstmover.learners import Hedge, StackelUCB
from firstmover.runs import ExperimentSpec, plan_of
from firstmover.runs.setup import HISTORY_POINTS, arena_of, future_types, history
from firstmover.simulation.loop import Streams, play_run

MakeSpec = Callable[..., ExperimentSpec]


def test_streams_are_separate_children_of_the_seed() -> None:
    children = np.random.SeedSequence(7).spawn(4)
    streams = Streams.of(7)
    drawn = [rng.random() for rng in (streams.actions, streams.types, streams.noise, streams.history)]
    assert drawn == [np.random.default_rng(child).random() for child in children]
    assert len(set(drawn)) == 4


def _first(spec: ExperimentSpec) -> object:
    return plan_of(spec).tasks[0].stage().learner


def test_a_learner_takes_what_the_specification_says(make_spec: MakeSpec) -> None:
    kernel = {"name": "rbf", "length_scale": 0.5}
    learner = _first(
        make_spec(learners=[{"name": "stackelucb", "confidence_width": 3, "regularization": 0.2, "kernel": kernel}])
    )
    assert isinstance(learner, StackelUCB)
    assert isinstance(learner.belief, FiniteBelief)
    assert learner.confidence(0.0) == 3
    assert learner.belief.regularization == 0.2
    assert learner.belief.kernel.k2.length_scale == 0.5


def test_a_learner_takes_the_game_s_defaults_otherwise(make_spec: MakeSpec) -> None:
    learner = _first(make_spec())
    assert isinstance(learner, StackelUCB)
    assert isinstance(learner.belief, FiniteBelief)
    assert (learner.confidence(0.0), learner.belief.regularization) == (1.0, 0.01)
    assert learner.belief.kernel.length_scale == 0.25


def test_hedge_is_shown_the_true_rewards(make_spec: MakeSpec) -> None:
    spec = make_spec(learners=["hedge"])
    stage = plan_of(spec).tasks[0].stage()
    game, opponent, learner = stage.game, stage.opponent, stage.learner
    assert isinstance(learner, Hedge)
    home = np.array([0.5])
    expected = game.reward(game.actions, opponent.respond(game.actions, home))
    np.testing.assert_array_equal(learner.true_rewards(home), expected)


@pytest.mark.parametrize("opponent_name", ["random", "cyclic", "single"])
def test_future_types_are_those_that_any_learner_meets(make_spec: MakeSpec, opponent_name: str) -> None:
    task = plan_of(make_spec(opponent=opponent_name)).tasks[0]
    stage = task.stage()
    run = play_run(stage.game, stage.opponent, stage.learner, task.rounds, seed=5)
    types = future_types(task.fields, stage.game, stage.opponent, seed=5)
    np.testing.assert_array_equal(types, run.opponent_types)


def test_the_optimum_is_refused_against_the_adversary_before_anything_is_played(make_spec: MakeSpec) -> None:
    with pytest.raises(
        InvalidInput,
        match=r"learner 'optimum' in .*: opponent 'adversary' chooses types by what",
    ):
        plan_of(make_spec(opponent="adversary", learners=["hedge", "optimum"]))


@pytest.mark.parametrize("name", ["single-type", "gp-ucb", "best-offline"])
def test_learners_for_one_type_play_against_the_single_opponent_only(make_spec: MakeSpec, name: str) -> None:
    assert len(plan_of(make_spec(opponent="single", learners=[name])).tasks) == 2
    with pytest.raises(InvalidInput, match="needs exactly one known type, as against opponent 'single'"):
        plan_of(make_spec(opponent="random", learners=[name]))


def test_an_action_that_does_not_exist_is_refused(make_spec: MakeSpec) -> None:
    with pytest.raises(
        InvalidInput,
        match=r"learner 'fixed-24' in .*: action is 24: give an index from 0 to 23",
    ):
        plan_of(make_spec(learners=["fixed:24"]))


def test_history_is_noisy_responses_of_the_first_type_from_a_stream_of_its_own() -> None:
    game, opponent = arena_of({"game": "shore", "opponent": "single"})
    rows = list(history(game, opponent, seed=4))
    assert len(rows) == HISTORY_POINTS == 1000
    truth = opponent.respond(game.actions, np.array([0.1]))
    noise = np.array([row.response[0] - truth[row.action, 0] for row in rows])
    assert abs(noise.mean()) < 4 * 0.1 / np.sqrt(1000)  # four standard errors
    assert 0.09 < noise.std() < 0.11
    assert {row.action for row in rows} == set(range(24))
    again = list(islice(history(game, opponent, seed=4), 3))
    assert [row.response.tolist() for row in again] == [row.response.tolist() for row in rows[:3]]
    assert next(history(game, opponent, seed=5)).response[0] != rows[0].response[0]

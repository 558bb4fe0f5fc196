"""How games, learners, runs and regret look to a person, and a run as a table."""

import numpy as np

from firstmover import GAMES, StackelUCB, opponent_for, play, play_run, regret, true_rewards
from firstmover.learners import fixed_action, uniform
from tests.contracts.tables import LEARNER_CASES

SHORE = GAMES["shore"]
GAME = SHORE.build()
OPPONENT = opponent_for("shore", GAME, "random")
LEARNER = StackelUCB.start(GAME, SHORE.kernel, SHORE.regularization, SHORE.confidence_width, horizon=3)


def test_reprs_are_short_and_name_what_matters() -> None:
    run = play_run(GAME, OPPONENT, LEARNER, 3, seed=0)
    assert repr(GAME) == "Game('shore', 24 actions, 1 output, 5 types)"
    assert repr(run).startswith("Run(3 rounds, 24 actions, mean reward ")
    assert repr(regret(run, true_rewards(GAME, OPPONENT.respond))).startswith("Regret(")
    assert repr(LEARNER) == (
        "StackelUCB(Game('shore', 24 actions, 1 output, 5 types), FiniteBelief(0 observations), "
        "ConstantWidth(value=1.0), MultiplicativeWeights(t=1, reward_range=(0.0, 1.0), horizon=3, rate_factor=1.0))"
    )
    assert repr(fixed_action(2, 5)) == "Fixed(action 2 of 5)"
    assert repr(uniform(5)) == "Fixed(mixture of 5 actions)"
    assert repr(next(iter(play(GAME, OPPONENT, LEARNER, seed=0)))).startswith("Round(t=1, action=")


def test_a_run_is_a_table_with_a_row_per_round() -> None:
    run = play_run(GAME, OPPONENT, LEARNER, 4, seed=0)
    table = run.to_frame()
    columns = ["t", "action", "probability", "opponent_type", "response_0", "true_response_0", "reward"]
    assert table.columns == columns
    assert table["t"].to_list() == [1, 2, 3, 4]
    np.testing.assert_array_equal(table["action"], run.actions)
    np.testing.assert_array_equal(table["reward"], run.rewards)
    np.testing.assert_array_equal(table["response_0"], run.responses[:, 0])
    np.testing.assert_array_equal(np.array(table["opponent_type"].to_list()), run.opponent_types)
    assert table["probability"][2] == run.strategies[2, run.actions[2]]


def test_every_learner_of_the_tables_has_a_short_repr() -> None:
    for case in LEARNER_CASES:
        assert len(repr(case.build()())) < 500

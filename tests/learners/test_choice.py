import numpy as np
import pytest

from firstmover.beliefs import ConstantWidth
from firstmover.core.errors import InvalidInput
from firstmover.games import GAMES
from firstmover.games.wildlife.game import patrols_game, wildlife_game
from firstmover.learners import LEARNERS, ByChoice, Setup
from firstmover.simulation import opponent_for, true_rewards
from firstmover.simulation.loop import play_run


def setup(game, **more):
    entry = GAMES["wildlife"]
    return Setup(game, entry.kernel, entry.regularization, ConstantWidth(0.1), **more)


def test_the_choice_learner_holds_the_best_patrol_of_the_published_menu_early():
    game = wildlife_game()
    opponent = opponent_for("wildlife", game, "single")
    run = play_run(game, opponent, LEARNERS["choice"].build(setup(game)), 60, seed=0)
    best = int(np.argmax(true_rewards(game, opponent.respond)(game.types[0])))
    assert np.all(run.actions[35:] == best)


def test_weights_over_optimistic_rewards_of_choices_favour_good_patrols():
    game = wildlife_game()
    opponent = opponent_for("wildlife", game, "single")
    learner = LEARNERS["choice-mw"].build(setup(game, strategy="adahedge"))
    assert isinstance(learner, ByChoice)
    run = play_run(game, opponent, learner, 60, seed=0)
    earned = true_rewards(game, opponent.respond)(game.types[0])
    assert run.strategies[-1] @ earned > np.quantile(earned, 0.97)


def test_a_game_without_places_or_types_is_refused():
    with pytest.raises(InvalidInput, match="declares no places"):
        LEARNERS["choice-mw"].build(setup(GAMES["shore"].build()))
    with pytest.raises(InvalidInput, match="has no known types"):
        LEARNERS["choice-mw"].build(setup(patrols_game(), strategy="adahedge"))

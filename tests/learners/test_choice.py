import numpy as np
import pytest

from firstmover.beliefs import ConstantWidth
from firstmover.core.errors import InvalidInput
from firstmover.games import GAMES
from firstmover.games.wildlife.game import patrols_game, wildlife_game
from firstmover.learners import LEARNERS, ByChoice, Committing, Setup
from firstmover.learners.commitment import EXPLORATIONS
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


def played(rounds, seed=1):
    game = patrols_game()
    return game, play_run(game, opponent_for("patrols", game, "commitment"), Committing.start(game), rounds, seed)


def test_a_commitment_beats_every_patrol_of_the_menu_within_sixty_rounds():
    game, run = played(70)
    each = np.stack([game.reward(game.actions, np.repeat(y[None], 25, axis=0)) for y in run.true_responses])
    earned = np.einsum("ij,ij->i", run.strategies, each)
    assert np.mean(earned[60:]) > 0.10  # the best of the published menu earns 0.050, the best of all 0.142


def test_explorations_are_rarer_than_four_roots_of_t_and_the_first_rounds_mix_answers():
    game, run = played(40)
    learner = Committing.start(game)
    for t, row in enumerate(zip(run.actions, run.opponent_types, run.responses, strict=True), start=1):
        assert learner.explored <= EXPLORATIONS * np.sqrt(t) + 1
        if t == 3:  # the mixture of the answers to the first two places
            assert sorted(learner.strategy[learner.strategy > 0]) == pytest.approx([0.5, 0.5])
        learner = learner.observe(game_feedback(row))


def game_feedback(row):
    from firstmover.core.records import Feedback

    return Feedback(*row)


def test_a_commitment_that_is_no_distribution_is_refused():
    game = patrols_game()
    from firstmover.core.records import Feedback

    with pytest.raises(InvalidInput, match="opponent_type sums to 25"):
        Committing.start(game).observe(Feedback(0, np.ones(25), np.array([1.0, 1.0])))

from dataclasses import replace

import numpy as np
import pytest

from firstmover.beliefs import ConstantWidth
from firstmover.core.contracts import Game
from firstmover.core.errors import InvalidInput
from firstmover.core.places import Places
from firstmover.core.records import Box, Feedback
from firstmover.games import GAMES, increasing
from firstmover.games.wildlife.game import patrol_menu, patrols_game, wildlife_game
from firstmover.games.wildlife.opponents import Poachers
from firstmover.games.wildlife.park import published_park
from firstmover.learners import LEARNERS, ByChoice, Setup
from firstmover.learners.choice import OPTIMISM
from firstmover.simulation import Opponent, opponent_for, single, true_rewards
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


def corner_game(actions, noise=0.1):
    """Two cells side by side; the reward is the coverage of the chosen one."""
    places = Places(Box([[0.0], [1.0]], [[1.0], [2.0]]), noise)
    reward = increasing(lambda x, y: x[np.arange(len(x)), (y[:, 0] >= 1).astype(int)])
    return Game("two cells", actions, reward, Box([0.0], [2.0]), types=np.zeros((1, 1)), places=places)


def test_a_report_on_a_border_counts_as_the_place_that_earns_least():
    game = corner_game(np.array([[0.9, 0.1], [0.2, 0.8], [0.5, 0.4]]))
    learner = ByChoice.start(game).observe(Feedback(0, np.zeros(1), np.array([1.0])))
    (known,) = learner.known.values()
    assert learner.optimistic(known)[0] == pytest.approx(0.1)
    clear = ByChoice.start(game).observe(Feedback(0, np.zeros(1), np.array([0.5])))
    assert clear.optimistic(*clear.known.values())[0] == pytest.approx(0.9)


def test_optimism_is_the_mean_over_the_best_part_of_the_chances():
    """With q the chances of an untried action, the best place counts q / 0.3 and the other one the rest."""
    game = corner_game(np.array([[0.9, 0.1], [0.2, 0.8], [0.5, 0.4]]))
    learner = ByChoice.start(game).observe(Feedback(2, np.zeros(1), np.array([0.5])))
    (known,) = learner.known.values()
    assert np.argmax(learner.scores) == 0
    share = min(known.utilities[0].chances[1, 1] / OPTIMISM, 1.0)
    assert 0 < share < 1
    assert learner.optimistic(known)[1] == pytest.approx(share * 0.8 + (1 - share) * 0.2)


def test_the_belief_that_predicts_best_is_found():
    """An opponent whom coverage attracts, on 5 cells: utilities that rise come out ahead of those that fall."""
    rng = np.random.default_rng(0)
    actions = np.vstack([rng.dirichlet(np.ones(5), 60), np.eye(5)])
    corners = np.arange(5.0)[:, None]
    reward = increasing(lambda x, y: x[np.arange(len(x)), np.minimum(y[:, 0], 4).astype(int)])
    places = Places(Box(corners, corners + 1), 0.05)
    game = Game("seeking", actions, reward, Box([0.0], [5.0]), types=np.zeros((1, 1)), places=places)
    learner = ByChoice.start(game)
    assert np.argmax(learner.scores) == 0
    for action in range(40):
        place = np.argmax(actions[action] + 0.05 * np.arange(5))
        learner = learner.observe(Feedback(action, np.zeros(1), np.array([place + 0.5])))
    assert np.argmax(learner.scores) == 1


def test_actions_without_a_feature_per_place_use_the_smooth_belief():
    learner = ByChoice.start(corner_game(np.random.default_rng(0).uniform(size=(6, 2))[:, [0, 1, 0]]))
    assert len(learner.scores) == 1
    learner = learner.observe(Feedback(2, np.zeros(1), np.array([0.4])))
    assert learner.strategy.sum() == 1.0


def test_a_misread_first_report_is_corrected_in_the_smooth_belief():
    learner = ByChoice.start(corner_game(np.random.default_rng(0).uniform(size=(6, 2))))
    for y in (1.03, 0.9, 0.88):
        learner = learner.observe(Feedback(2, np.zeros(1), np.array([y])))
    assert list(learner.read.values()) == [0]
    assert learner.smooth.predict(np.zeros(1)).mean[2, 0] > 0.9
    assert learner.smooth.count == 1


def test_shifting_and_rescaling_changes_no_decision():
    park = wildlife_game()
    chosen = park.actions[::7]
    game = replace(park, actions=chosen)
    moved = replace(
        game,
        reward=_Moved(game.reward),
        response_domain=Box(1000 * park.response_domain.lower - 5, 1000 * park.response_domain.upper - 5),
        places=Places(Box(1000 * park.places.box.lower - 5, 1000 * park.places.box.upper - 5), 100.0),
    )
    opponent = opponent_for("wildlife", park, "single")
    rng, one, two = np.random.default_rng(0), ByChoice.start(game), ByChoice.start(moved)
    for _ in range(12):
        action = int(np.argmax(one.strategy))
        assert np.argmax(two.strategy) == action
        y = opponent.respond(chosen[action][None], game.types[0])[0] + 0.1 * rng.standard_normal(2)
        one = one.observe(Feedback(action, game.types[0], y))
        two = two.observe(Feedback(action, game.types[0], 1000 * y - 5))


class _Moved:
    def __init__(self, reward):
        self.reward = reward

    def __call__(self, actions, responses):
        return self.reward(actions, (responses + 5) / 1000)

    def best_in_box(self, actions, box):
        return self.reward.best_in_box(actions, Box((box.lower + 5) / 1000, (box.upper + 5) / 1000))


def test_several_types_are_played_by_weights_and_an_unknown_type_is_refused():
    game = replace(corner_game(np.array([[0.9, 0.1], [0.2, 0.8], [0.5, 0.4]])), types=np.array([[0.0], [1.0]]))
    learner = ByChoice.start(game)
    for kind in (0.0, 1.0, 1.0):
        learner = learner.observe(Feedback(0, np.array([kind]), np.array([0.5 + kind])))
    assert learner.strategy.sum() == pytest.approx(1.0)
    assert [known.reports.counts.sum() for known in learner.known.values()] == [1, 2]
    with pytest.raises(InvalidInput, match="give one of the game's types"):
        learner.observe(Feedback(0, np.array([7.0]), np.array([0.5])))


def test_a_park_nobody_tuned_on_is_played_within_a_hundredth_of_its_best_patrol():
    """Four peaks beside borders, camp in the middle, twice the published noise, which the game states wrongly."""
    means = np.array([[1.1, 2.9], [3.0, 1.2], [2.4, 4.6], [4.2, 3.1]])
    park = replace(published_park(1.0), means=means)
    game, poachers = (
        wildlife_game(park, patrol_menu(25, 300, 8)),
        Poachers(park, coverage_sign=1, density_factor=10.0, start=(2.0, 2.5)),
    )
    opponent = Opponent(single(game.types[0]), poachers, 0.15)
    run = play_run(game, opponent, ByChoice.start(game), 60, seed=1)
    earned = true_rewards(game, poachers)(game.types[0])
    assert np.mean(earned.max() - earned[run.actions[39:]]) < 0.01

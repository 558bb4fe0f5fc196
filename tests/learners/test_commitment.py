from dataclasses import replace

import numpy as np
import pytest

from firstmover.core.contracts import Game
from firstmover.core.errors import InvalidInput
from firstmover.core.places import Places
from firstmover.core.records import Box, Feedback
from firstmover.games.rewards import Bilinear
from firstmover.games.stackelberg.bimatrix import BimatrixGame
from firstmover.games.stackelberg.commitment import optimal_commitment
from firstmover.games.wildlife.game import patrols_game
from firstmover.learners import Committing
from firstmover.simulation import opponent_for
from firstmover.simulation.loop import play_run


def earned(game, strategies, responses):
    each = [game.reward(game.actions, np.tile(y, (game.n_actions, 1))) for y in responses]
    return np.einsum("ij,ij->i", strategies, np.stack(each))


def play(game, respond, rounds):
    """Play without noise; return the commitments, responses and the last learner."""
    learner, strategies, responses = Committing.start(game), [], []
    for _ in range(rounds):
        strategies.append(learner.strategy)
        responses.append(respond(learner.strategy))
        learner = learner.observe(Feedback(0, learner.strategy, responses[-1]))
    return np.array(strategies), np.array(responses), learner


def table_game(leader, follower, noise=0.05):
    tables, f = BimatrixGame(leader, [follower]), len(leader[0])
    eye = np.eye(f)
    domain = Box(np.zeros(f), np.ones(f))
    game = Game("table", np.eye(len(leader)), Bilinear(tables.leader), domain, places=Places(Box(eye, eye), noise))
    return game, tables, lambda p: tables.best_response(p[None], np.ones(1))[0]


@pytest.mark.slow
def test_a_commitment_beats_every_patrol_of_the_menu_within_sixty_rounds():
    game = patrols_game()
    run = play_run(game, opponent_for("patrols", game, "commitment"), Committing.start(game), 70, seed=1)
    assert np.mean(earned(game, run.strategies, run.true_responses)[60:]) > 0.10
    # the best of the published menu earns 0.050, the best of all 0.142


def test_locations_on_a_border_of_two_places_are_not_read_as_the_place_that_flatters():
    # the second of two intervals is chosen at its border until its own coverage exceeds one half
    game = Game(
        "border",
        np.eye(2),
        replace_reward(),
        Box([0.0], [2.0]),
        places=Places(Box([[0.0], [1.0]], [[1.0], [2.0]]), 0.1),
    )
    strategies, responses, _ = play(game, lambda p: np.array([1.0 if p[1] < 0.6 else 0.2]), 40)
    values = earned(game, strategies, responses)
    assert np.median(values[-10:]) > 0.5  # with all on the first place, misread, it would earn 0


def replace_reward():
    class Covered:
        def __call__(self, actions, responses):
            return actions[np.arange(len(actions)), (responses[:, 0] >= 1).astype(int)]

        def best_in_box(self, actions, box):
            return np.maximum(self(actions, box.lower), self(actions, box.upper))

    return Covered()


@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (4, 7))])
def test_security_games_without_noise_come_near_the_linear_programs(seed):
    rng = np.random.default_rng(seed)
    n = 5
    leader, follower = np.tile(-rng.random(n), (n, 1)), np.tile(rng.random(n), (n, 1))
    np.fill_diagonal(leader, rng.random(n))
    np.fill_diagonal(follower, -rng.random(n))
    game, tables, respond = table_game(leader, follower)
    strategies, responses, _ = play(game, respond, 60)
    values, best = earned(game, strategies, responses), optimal_commitment(tables).value
    held = np.median(values[-10:])  # one of them may explore
    assert held > values[0] + 0.9 * (best - values[0])


@pytest.mark.slow
def test_the_best_commitment_played_is_never_worse_than_equal_weights():
    rng = np.random.default_rng(3)
    game, _, respond = table_game(rng.normal(size=(4, 5)), rng.normal(size=(4, 5)))
    strategies, responses, learner = play(game, respond, 30)
    values = earned(game, strategies, responses)
    repeated = np.flatnonzero((strategies == learner.best).all(axis=1))
    assert values[repeated[0]] == pytest.approx(values.max())


def test_rounds_without_success_are_followed_by_rounds_of_the_best():
    game, _, respond = table_game([[1.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [1.0, 0.0]])
    _, _, learner = play(game, respond, 30)
    while not learner.explores or learner.wait:
        learner = learner.observe(Feedback(0, learner.strategy, respond(learner.strategy)))
    before = learner.failures
    after = learner.observe(Feedback(0, learner.best, respond(learner.best)))  # nothing new
    wait = (before + 1) * (before + 2) // 4
    assert (after.failures, after.wait) == (before + 1, wait)
    np.testing.assert_array_equal(after.strategy, after.best)
    waited = after.observe(Feedback(0, after.strategy, respond(after.strategy)))
    assert (waited.failures, waited.wait) == (before + 1, wait - 1)
    assert after.linear == (after.failures % 4 == 3)


def test_places_that_no_report_points_to_count_as_never_chosen():
    """Of four places 2 was reported, then 0: the explorations cover these and nothing else."""
    game, _, _ = table_game(np.eye(4), -np.eye(4))
    learner = Committing.start(game)
    learner = learner.observe(Feedback(0, learner.strategy, np.eye(4)[2]))
    np.testing.assert_allclose(learner.strategy, np.eye(4)[2])
    learner = learner.observe(Feedback(0, learner.strategy, np.eye(4)[0]))
    assert learner.explores
    assert learner.strategy[[0, 2]].sum() == pytest.approx(1.0)
    assert learner.strategy[[0, 2]].min() > 0.1


def test_the_reports_of_a_commitment_do_not_confirm_their_own_reading():
    """The places of a commitment are judged by the reports of the others, however it is read itself."""
    corners = np.array([[0.0], [1.0]])
    places = Places(Box(corners, corners + 1), 0.1)
    game = Game("border", np.eye(2), replace_reward(), Box([0.0], [2.0]), places=places)
    learner = Committing.start(game)
    for commitment, y in (([1.0, 0.0], 1.3), ([0.0, 1.0], 0.98)):
        learner = learner.observe(Feedback(0, np.array(commitment), np.array([y])))
    read = [replace(learner, shares=np.array([[0.0, 1.0], share])) for share in ([1.0, 0.0], [0.0, 1.0])]
    one, other = (each.log_likelihood[1] for each in read)
    assert one == pytest.approx(other)
    unknown = replace(learner, shares=np.zeros((2, 2))).log_likelihood[1]
    assert abs(one[1] - unknown[1]) > 0.1, "the other commitment was met at 1.3, which matters"


def test_linear_utilities_are_drawn_again_in_every_round_that_uses_them():
    game, _, _ = table_game(np.eye(3), -np.eye(3))
    learner = Committing.start(game).observe(Feedback(0, np.full(3, 1 / 3), np.eye(3)[2]))
    drawn = [replace(learner, linear=True, rounds=rounds).strategy for rounds in (3, 4, 4)]
    assert np.abs(drawn[0] - drawn[1]).max() > 1e-3
    np.testing.assert_array_equal(drawn[1], drawn[2])


def test_other_units_of_locations_change_no_decision():
    game, unit = patrols_game(), 4.0  # a power of two: exact
    places = game.places

    class Scaled:
        def __call__(self, actions, responses):
            return game.reward(actions, responses / unit)

        def best_in_box(self, actions, box):
            return game.reward.best_in_box(actions, Box(box.lower / unit, box.upper / unit))

    box, domain = Box(unit * places.box.lower, unit * places.box.upper), game.response_domain
    scaled = replace(
        game,
        reward=Scaled(),
        response_domain=Box(unit * domain.lower, unit * domain.upper),
        places=Places(box, unit * places.noise_std),
    )
    rng = np.random.default_rng(0)
    one, other = Committing.start(game), Committing.start(scaled)
    for _ in range(6):
        np.testing.assert_allclose(one.strategy, other.strategy, atol=1e-6)
        response = rng.uniform(0, 5, 2)
        one, other = (a.observe(Feedback(0, one.strategy, y)) for a, y in ((one, response), (other, unit * response)))


def test_a_replay_of_the_observations_gives_the_same_learner():
    rng = np.random.default_rng(2)
    game, _, respond = table_game(rng.normal(size=(4, 4)), rng.normal(size=(4, 4)))
    strategies, responses, learner = play(game, respond, 25)
    again = Committing.start(game)
    for strategy, response in zip(strategies, responses, strict=True):
        again = again.observe(Feedback(0, strategy, response))
    np.testing.assert_array_equal(again.strategy, learner.strategy)


def test_reports_of_one_commitment_count_together():
    game = patrols_game()
    learner = Committing.start(game)
    even = learner.strategy
    for y in ([0.98, 0.5], [1.3, 0.5]):  # just below a border, then clearly above it
        learner = learner.observe(Feedback(0, even, np.array(y)))
    assert len(learner.points) == 1
    np.testing.assert_array_equal(learner.counts, [2.0])
    assert np.argmax(learner.shares[0]) == 5
    np.testing.assert_allclose(learner.sums, [[2.28, 1.0]])


def test_a_commitment_that_is_no_distribution_is_refused():
    with pytest.raises(InvalidInput, match="opponent_type sums to 25"):
        Committing.start(patrols_game()).observe(Feedback(0, np.ones(25), np.array([1.0, 1.0])))


@pytest.mark.parametrize("report", [1.0, 0.95, 1.05])
def test_of_two_places_that_a_report_may_come_from_the_one_that_earns_more_counts_half(report):
    """Coverage 0.3 and 0.7: the second place earns more. The likelihoods are Φ(∓z), z deviations from the border."""
    from statistics import NormalDist

    corners = np.array([[0.0], [1.0]])
    places = Places(Box(corners, corners + 1), 0.1)
    game = Game("border", np.eye(2), replace_reward(), Box([0.0], [2.0]), places=places)
    learner = Committing.start(game).observe(Feedback(0, np.array([0.3, 0.7]), np.array([report])))
    alone = replace(learner, shares=np.zeros((1, 2))).log_likelihood[0]
    z = (1 - report) / 0.1
    assert alone[0] - alone[1] == pytest.approx(np.log(NormalDist().cdf(z) / NormalDist().cdf(-z)) + np.log(2))


def test_locations_lie_between_the_centre_and_the_mean_of_the_reports():
    learner = Committing.start(patrols_game()).observe(Feedback(0, np.full(25, 0.04), np.array([1.3, 0.6])))
    learner = replace(learner, shares=np.eye(25)[[5]])
    weight = (1 / 12) / (0.1**2 + 1 / 12)  # a uniform location in a cell of side 1, noise 0.1
    np.testing.assert_allclose(learner.locations[5], 0.5 + np.array([1, 0]) + weight * np.array([-0.2, 0.1]))
    np.testing.assert_allclose(learner.locations[6], [1.5, 1.5])


@pytest.mark.parametrize(("report", "seen"), [(0.91, [0, 1]), (0.895, [0]), (1.09, [0, 1]), (1.105, [1])])
def test_a_place_is_seen_from_a_fifth_of_the_largest_likelihood(report, seen):
    """Φ(−z) / Φ(z) of a report z deviations from the border is 0.226 at 0.9 and 0.172 at 1.05."""
    corners = np.array([[0.0], [1.0]])
    places = Places(Box(corners, corners + 1), 0.1)
    game = Game("border", np.eye(2), replace_reward(), Box([0.0], [2.0]), places=places)
    learner = Committing.start(game).observe(Feedback(0, np.array([0.5, 0.5]), np.array([report])))
    assert learner.seen.tolist() == seen

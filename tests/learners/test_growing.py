from dataclasses import replace

import numpy as np
import pytest
from sklearn.gaussian_process.kernels import RBF

from firstmover.beliefs import ConstantWidth, LemmaWidth, confidence_box, information_gain, posterior
from firstmover.core.contracts import Game
from firstmover.core.errors import InvalidInput
from firstmover.core.records import Feedback
from firstmover.games import GAMES, BimatrixGame, harbour
from firstmover.games.stackelberg.opponents import follower
from firstmover.kernels import bind, on_action, on_type
from firstmover.learners import Growing
from firstmover.simulation import Adversary, Cyclic, Opponent, opponent_for, true_rewards
from firstmover.simulation.hindsight import regret
from firstmover.simulation.loop import play, play_run

PURE = harbour().on_menu(np.eye(3))
KERNEL = on_action(RBF(1.0)) * on_type(RBF(0.5))


def start(game: Game = PURE, width: float = 0.5) -> Growing:
    return Growing.start(game, KERNEL, 0.01, ConstantWidth(width))


def played(learner: Growing, rounds: int, seed: int = 0) -> Growing:
    rng, respond, types = np.random.default_rng(seed), follower(harbour()), PURE.types
    for t in range(rounds):
        action, kind = int(rng.integers(learner.game.n_actions)), types[t % 3]
        response = respond(learner.game.actions[[action]], kind)[0]
        learner = learner.observe(Feedback(action, kind, response))
    return learner


def totals(learner, x, width):
    """Σ_s r̃(x, θ_s) of mixtures, by the plain equations, round by round."""
    found = np.zeros(len(x))
    for kind in learner.points[:, 3:]:
        z = np.hstack([x, np.tile(kind, (len(x), 1))])
        said = posterior(bind(KERNEL, 3), 0.01, learner.points, learner.responses, z)
        found += np.clip(
            PURE.reward.best_in_box(x, confidence_box(said, width, PURE.response_domain)), *PURE.reward_range
        )
    return found


def test_optimistic_rewards_are_those_of_the_plain_equations():
    learner = played(start(), 6)
    kind, (points, responses) = PURE.types[1], (learner.points, learner.responses)
    menu = learner.game.actions
    z = np.hstack([menu, np.tile(kind, (len(menu), 1))])
    said = posterior(bind(KERNEL, 3), 0.01, points, responses, z)
    best = learner.game.reward.best_in_box(menu, confidence_box(said, 0.5, PURE.response_domain))
    expected = learner.weights.update(np.clip(best, *PURE.reward_range)).strategy
    after = learner.observe(Feedback(0, kind, np.array([0.1, 0.2, 0.3])))
    np.testing.assert_allclose(
        after.weights.cumulative[: len(menu)] - learner.weights.cumulative, np.clip(best, *PURE.reward_range), atol=1e-9
    )
    shares = after.strategy[: len(menu)] / after.strategy[: len(menu)].sum()
    np.testing.assert_allclose(shares, expected, atol=1e-9)


def test_two_types_of_three_numbers_give_points_of_six():
    learner = played(start(replace(PURE, types=PURE.types[:2])), 0)
    assert (learner.points.shape, learner.responses.shape) == ((0, 6), (0, PURE.n_outputs))
    after = learner.observe(Feedback(1, PURE.types[1], np.array([0.1, 0.2, 0.3])))
    assert after.points.tolist() == [[0.0, 1.0, 0.0, *PURE.types[1]]]


def test_a_new_member_is_a_mixture_of_more_hope_than_any_there_is():
    before = start(width=0.1)
    for rounds in range(1, 10):
        learner = played(start(width=0.1), rounds)
        if learner.game.n_actions > before.game.n_actions:
            break
        before = learner
    new, members = learner.game.actions[-1:], before.game.actions
    assert new.sum() == pytest.approx(1.0)
    assert totals(learner, new, 0.1)[0] > totals(learner, members, 0.1).max()
    origins = members[[int(np.argmax(np.abs(members - row[:3]).sum(axis=1) == 0)) for row in learner.points[-1:]]]
    moved = np.abs(new - origins).sum(axis=1) / 2
    assert np.all(moved <= 0.5 + 1e-12)


def test_proposals_move_mass_from_the_member_played_last_and_from_the_best_over_all_rounds():
    """Crews come unequally often, so that each round counts and not each crew."""
    rng, respond = np.random.default_rng(12), follower(harbour())
    learner, entered = start(width=0.1), 0
    for kind in PURE.types[rng.choice(3, size=10, p=[0.15, 0.7, 0.15])]:
        members, action = learner.game.actions, int(rng.integers(learner.game.n_actions))
        learner = learner.observe(Feedback(action, kind, respond(members[[action]], kind)[0]))
        best = int(np.argmax(totals(learner, members, 0.0)))
        origins = [members[best]] if best == action else [members[best], members[action]]
        moved = [(1 - s) * x + s * pure for s in 0.5 ** np.arange(1, 6) for x in origins for pure in np.eye(3)]
        optimistic = totals(learner, np.vstack([members, moved]), 0.1)
        new = int(np.argmax(optimistic)) - len(members)
        expected = members if new < 0 else np.vstack([members, moved[new]])
        np.testing.assert_allclose(learner.game.actions, expected, atol=1e-12)
        entered += new >= 0
    assert entered > 3


def test_without_width_and_with_all_known_nobody_enters_who_is_no_better():
    """The first pure strategy is best of all mixtures, whatever the follower does."""
    game = BimatrixGame([[1.0, 1.0], [0.0, 0.0]], [[[1.0, 0.0], [1.0, 0.0]]]).stackelberg().on_menu(np.eye(2))
    learner = Growing.start(game, RBF(1.0), 0.01, ConstantWidth(0.0))
    for action in (0, 1, 0, 1):
        learner = learner.observe(Feedback(action, np.ones(1), np.array([1.0, 0.0])))
    assert learner.game.n_actions == 2


def test_from_pure_strategies_it_comes_close_to_the_best_mixture_against_crews_in_turn():
    """More than the best pure strategy earns, and nearly as much as the best mixture."""
    types = Cyclic(PURE.types)
    run = play_run(PURE, Opponent(types, follower(harbour()), 0.02), start(width=0.5), rounds=150, seed=1)
    fine = harbour().on_grid(0.05)
    each = np.array([true_rewards(fine, follower(harbour()))(kind) for kind in fine.types]).mean(axis=0)
    pure = np.array([true_rewards(PURE, follower(harbour()))(kind) for kind in PURE.types]).mean(axis=0)
    assert pure.max() < each.max() - 0.01
    assert run.rewards[-50:].mean() > (pure.max() + 2 * each.max()) / 3
    assert run.menu is not None
    assert run.menu[:3].tolist() == np.eye(3).tolist()


def test_regret_of_a_grown_menu_counts_all_its_members():
    run = play_run(PURE, Opponent(Cyclic(PURE.types), follower(harbour())), start(), rounds=30, seed=0)
    assert run.menu is not None
    assert run.strategies.shape == (30, len(run.menu))
    np.testing.assert_allclose(run.strategies.sum(axis=1), 1.0)
    whole = Game("harbour", run.menu, PURE.reward, PURE.response_domain, PURE.reward_range, PURE.types)
    loss = regret(run, true_rewards(whole, follower(harbour())))
    assert np.all(np.diff(loss.best_reward) > 0)


def test_the_menu_of_a_round_is_kept_with_it():
    rounds = play(PURE, Opponent(Cyclic(PURE.types), follower(harbour())), start(width=0.1), seed=0)
    sizes = [(len(r.menu), len(r.strategy)) for r, _ in zip(rounds, range(8), strict=False)]
    assert sizes[0] == (3, 3)
    assert sizes[-1][0] > 3
    assert all(menu == weights for menu, weights in sizes)


def test_the_width_follows_what_was_learnt():
    lemma = LemmaWidth(1.0, 0.1, 0.01, 0.1)
    learner = played(Growing.start(PURE, KERNEL, 0.01, lemma), 5)
    gained = information_gain(bind(KERNEL, 3)(learner.points), 0.01)
    assert learner._width == pytest.approx(lemma(gained))
    assert learner._width > Growing.start(PURE, KERNEL, 0.01, lemma)._width == lemma(0.0)


@pytest.mark.parametrize("name", ["shore", "routing", "prices", "patrols"])
def test_games_without_mixtures_or_types_are_refused(name):
    with pytest.raises(InvalidInput, match=f"game '{name}' has no known types, or actions that are no mixed"):
        Growing.start(GAMES[name].build(), RBF(), 0.01, ConstantWidth(1.0))


def test_an_adversary_that_knows_a_fixed_menu_says_so():
    respond = follower(harbour())
    adversary = Opponent(Adversary(PURE.types, true_rewards(PURE, respond)), respond)
    with pytest.raises(InvalidInput, match="an adversary cannot play against a growing menu"):
        play_run(PURE, adversary, start(), rounds=5, seed=0)


def test_it_plays_payoff_tables_of_several_followers():
    rng = np.random.default_rng(0)
    tables = BimatrixGame(rng.random((4, 3)), rng.random((2, 4, 3)))
    game = tables.stackelberg().on_menu(np.eye(4))
    learner = Growing.start(game, KERNEL, 0.01, ConstantWidth(0.2))
    run = play_run(game, opponent_for("bimatrix", game, "random", tables), learner, rounds=20, seed=0)
    assert np.isfinite(run.rewards).all()


def test_every_member_keeps_its_bound_against_an_adversary_that_sees_the_menu_grow():
    """Types by the smallest expected reward of p_t; r̃ ≥ r as the boxes hold b, so the price of learning is added."""
    respond, learner = follower(harbour()), start(width=3.0)
    rng, gained, paid, joined, mine = np.random.default_rng(3), [], [], [0, 0, 0], [0.0] * 3
    for t in range(60):
        game, p = learner.grown, learner.strategy
        joined += [t] * (game.n_actions - len(joined))
        mine += [0.0] * (game.n_actions - len(mine))
        true = np.array([game.reward(game.actions, respond(game.actions, kind)) for kind in game.types])
        worst = int(np.argmin(true @ p))
        hoped = learner._optimistic(game.actions, game.types[[worst]], learner._width)[0]
        assert np.all(hoped >= true[worst] - 1e-9)
        gained.append(p @ true[worst])
        paid.append(p @ (hoped - true[worst]))
        mine = [total + reward for total, reward in zip(mine, true[worst], strict=True)]
        action = int(rng.choice(game.n_actions, p=p))
        response = respond(game.actions[[action]], game.types[worst])[0]
        learner = learner.observe(Feedback(action, game.types[worst], response))
    low, high = PURE.reward_range
    rate, size = np.log(6), (high - low) * (np.sqrt(np.log(6) * 60) / 2 + 1)
    for i, (entered, total) in enumerate(zip(joined, mine, strict=True)):
        prior = 1 / 6 if i < 3 else 1 / (2 * (i - 2) * (i - 1))
        bound = (1 + np.log(1 / prior) / rate) * size + sum(paid[entered:])
        assert total - sum(gained[entered:]) <= bound
    assert len(joined) > 3

"""Certificates: by hand, against every b that the assumptions allow, valid where they hold, and invalid if narrowed."""

from dataclasses import replace
from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.gaussian_process.kernels import RBF, ConstantKernel

from firstmover.beliefs import ConstantWidth, LemmaWidth, belief_over, posterior
from firstmover.beliefs.functionals import Posterior, Regression
from firstmover.core.arrays import Matrix, Vector
from firstmover.core.contracts import Game
from firstmover.core.errors import InvalidInput
from firstmover.core.records import Box, Run
from firstmover.games import GAMES, Concave, increasing
from firstmover.games.opponent import Opponent, Tabulated, true_rewards
from firstmover.kernels import DomainGram, bind, pairs
from firstmover.learners import StackelUCB, fixed_action, uniform
from firstmover.learners.auto import auto
from firstmover.simulation import RandomTypes, play_run
from firstmover.simulation.hindsight import regret
from firstmover.theory import certificate, random_response
from firstmover.theory.certificate import (
    NormBound,
    estimated_certificate,
    proved_certificate,
    radii,
    run_certificate,
)
from firstmover.theory.compared_rounds import ComparedRounds, Played, Sums

ACTIONS, TYPES = np.linspace(0, 1, 5)[:, None], np.array([[0.0], [0.6], [1.0]])
KERNEL, NOISE, NORM, DELTA = RBF(0.5), 0.2, 2.0, 0.1
SLOPED = increasing(lambda x, y: (1 + x[:, 0]) * y[:, 0], slopes=lambda x: 1 + x)
GAME = Game("line", ACTIONS, SLOPED, Box([-3.0], [3.0]), types=TYPES)
ASSUMED = NormBound(NORM, NOISE, DELTA, NOISE**2)


def played(actions: list[int], kinds: list[int], **more: object) -> Played:
    t = len(actions)
    return Played(np.array(actions), TYPES[kinds], np.zeros((t, 1)), np.ones(t, dtype=bool))._replace(**more)


def test_rounds_are_counted_by_hand() -> None:
    """Action 0 twice and action 1 once against type 0, action 1 once against type 2."""
    rounds = ComparedRounds.of(GAME, played([0, 0, 1, 1], [0, 0, 0, 2]))
    assert rounds.types.ravel().tolist() == [0.0, 1.0]
    assert list(zip(rounds.pairs.actions.tolist(), rounds.pairs.types.tolist(), strict=True)) == [
        (0, 0),
        (1, 0),
        (1, 1),
    ]
    assert rounds.given_up.tolist() == [[0, 1, 1], [2, 0, 0], *[[2, 1, 1]] * 3]
    assert rounds.gained.tolist() == [[1, 1], [2, 0], *[[3, 1]] * 3]


def test_masks_and_observations_outside_of_rounds_count_by_hand() -> None:
    """The first observation is no round, and in the last round action 4 was not allowed."""
    allowed = np.ones((3, 5), dtype=bool)
    allowed[2, 4] = False
    data = played([0, 0, 1], [0, 0, 0], rounds=np.array([False, True, True]), allowed=allowed)
    assert ComparedRounds.of(GAME, data).gained.ravel().tolist() == [1, 1, 2, 2, 1]
    with pytest.raises(InvalidInput, match="no round was told"):
        ComparedRounds.of(GAME, played([0], [0], rounds=np.array([False])))


def test_the_most_that_boxes_leave_possible_by_hand() -> None:
    """Two actions, r = y: action 0 is in [1, 2], action 1 in [0, 4]; 0 was played three times, 1 once.

    Against 1: 3 (4 − 1) = 9 is possible, against 0: 2 − 0 = 2. Rewards of at most 3 leave 3 (3 − 1) = 6.
    """
    game = Game("two", ACTIONS[:2], increasing(lambda _, y: y[:, 0]), Box([-9.0], [9.0]))
    boxes = [Box([[1.0]], [[2.0]]), Box([[0.0]], [[4.0]])]
    data = played([0, 0, 1, 0], [0] * 4)
    assert ComparedRounds.of(game, data).most(boxes).tolist() == [2.0, 9.0]
    assert ComparedRounds.of(replace(game, reward_range=(0.0, 3.0)), data).most(boxes).tolist() == [2.0, 6.0]


def observed(seed: int, rounds: int = 12) -> tuple[Played, np.random.Generator]:
    """Responses of a drawn b of norm 2 to random actions."""
    rng = np.random.default_rng(seed)
    b = random_response(KERNEL, ACTIONS, TYPES, NORM, n_outputs=1, rng=rng)
    run = play_run(GAME, Opponent(RandomTypes(TYPES), b, NOISE), uniform(5), rounds, seed)
    return Played.of(run), rng


def test_one_ellipsoid_has_the_width_of_the_lemma(monkeypatch: pytest.MonkeyPatch) -> None:
    """With one λ and all of δ, β is that of the lemma, for any number of outputs."""
    monkeypatch.setattr(certificate, "MULTIPLIERS", (2.0,))
    monkeypatch.setattr(certificate, "SHARES", (1.0,))
    data, _ = observed(0)
    rounds = ComparedRounds.of(GAME, data)
    responses = np.hstack([data.responses, 2 * data.responses, data.responses - 1])
    value = 2 * NOISE**2
    each = Regression(DomainGram(KERNEL, ACTIONS, rounds.types), rounds.pairs, responses, np.full(12, value))
    width = LemmaWidth(NORM, NOISE, value, DELTA, n_outputs=3)
    np.testing.assert_allclose(radii([each], ASSUMED), width(each.information_gain))


@pytest.mark.parametrize("norm", [NORM, 3.0])
def test_radii_are_those_of_all_observations(norm: float) -> None:
    """β² = (ρ² − J(λ)) / λ + B² by dense algebra, for every λ: ρ² is the smallest over the first three."""
    data, _ = observed(1)
    rounds, y = ComparedRounds.of(GAME, data), data.responses[:, 0]
    gram = bind(KERNEL, 1)(np.hstack([ACTIONS[data.actions], data.types]))
    values, domain = ASSUMED.regularizations, DomainGram(KERNEL, ACTIONS, rounds.types)
    each = [Regression(domain, rounds.pairs, data.responses, np.full(12, value)) for value in values]
    minima = np.array([value * y @ np.linalg.solve(gram + value * np.eye(12), y) for value in values])
    gains = np.array([0.5 * np.linalg.slogdet(np.eye(12) + gram / value)[1] for value in values])
    chance = np.log([1 / 0.05, 1 / 0.025, 1 / 0.025])
    rho = min(minima[i] + 2 * NOISE**2 * (gains[i] + chance[i]) for i in range(3))
    found = radii(each, replace(ASSUMED, rkhs_norm_bound=norm))[:, 0]
    np.testing.assert_allclose(found**2, (rho - minima) / np.array(values) + norm**2)
    assert values == pytest.approx([0.04, 0.01, 0.0025, 0.16, 0.64, 2.56, 10.24])


def in_the_confidence_set(data: Played, rng: np.random.Generator) -> Matrix:
    """Values on the domain (1, q n) of random functions with ‖f‖ ≤ B and ‖y − f‖² ≤ ρ², many of them on its border."""
    k = bind(KERNEL, 1)
    domain, points = pairs(ACTIONS, TYPES), np.hstack([ACTIONS[data.actions], data.types])
    gram, t = k(domain), len(data.actions)
    where = [int(np.argmax(np.all(np.isclose(domain, point), axis=1))) for point in points]
    y, chance = data.responses[:, 0], np.log(1 / (DELTA * np.array(certificate.SHARES)))
    limits = []
    for value, extra in zip(ASSUMED.regularizations, chance, strict=False):
        total = k(points) + value * np.eye(t)
        gain = 0.5 * np.linalg.slogdet(total / value)[1]
        limits.append(value * y @ np.linalg.solve(total, y) + 2 * NOISE**2 * (gain + extra))
    start = np.zeros(len(domain))
    np.add.at(start, where, np.linalg.solve(gram[np.ix_(where, where)] + 4 * NOISE**2 * np.eye(t), y))

    def allowed(weights: Vector) -> bool:
        f = gram @ weights
        return bool(weights @ f <= NORM**2 and np.sum((y - f[where]) ** 2) <= min(limits))

    found = []
    for _ in range(300 if allowed(start) else 0):
        step, low, high = rng.standard_normal(len(domain)) * rng.choice([0.0, 1.0], len(domain)), 0.0, 100.0
        for _ in range(40):
            half = (low + high) / 2
            low, high = (half, high) if allowed(start + half * step) else (low, half)
        found.append(gram @ (start + low * step))
    return np.array(found)


@pytest.mark.parametrize("concave", [False, True], ids=["linear", "concave"])
def test_no_function_that_the_assumptions_allow_has_a_larger_regret(*, concave: bool) -> None:
    """The largest of random functions on the border comes near for a linear reward, so the bound is no trivial one."""
    reward = Concave(lambda x, y: -((y[:, 0] - x[:, 0]) ** 2), lambda x, y: -2 * (y - x)) if concave else SLOPED
    game, shares = replace(GAME, reward=reward), []
    for seed in range(4):
        data, rng = observed(seed)
        loss = proved_certificate(game, KERNEL, data, ASSUMED).loss
        place = np.array([int(np.argmax(np.isclose(TYPES[:, 0], kind))) for kind in data.types[:, 0]])
        functions = in_the_confidence_set(data, rng)
        assert len(functions)
        for values in functions:
            table = values.reshape(3, 5)
            rewards = np.stack([game.reward(ACTIONS, row[:, None]) for row in table])
            worst = np.max(rewards[place].sum(axis=0)) - rewards[place, data.actions].sum()
            assert worst <= loss + 1e-6
            shares.append(worst / loss)
    assert max(shares) > (0.3 if concave else 0.5)


@pytest.mark.parametrize("norm", [1.5, 3.0])
def test_boxes_reach_as_far_as_the_radius_times_the_deviation(norm: float) -> None:
    """A reward without declared slopes: Σ_t r(x, μ + βσ) − r(x_t, μ − βσ) at the best λ, by the plain equations."""
    assumed, game = replace(ASSUMED, rkhs_norm_bound=norm), replace(GAME, reward=increasing(SLOPED.function))
    data, _ = observed(4)
    rounds, points = ComparedRounds.of(game, data), np.hstack([ACTIONS[data.actions], data.types])
    gram, values = DomainGram(KERNEL, ACTIONS, rounds.types), assumed.regularizations
    each = [Regression(gram, rounds.pairs, data.responses, np.full(12, value)) for value in values]
    least = np.full(5, np.inf)
    for value, beta in zip(values, radii(each, assumed)[:, 0], strict=True):
        totals = np.zeros(5)
        for kind, action in zip(data.types, data.actions, strict=True):
            mean, std = posterior(bind(KERNEL, 1), value, points, data.responses, pairs(ACTIONS, kind[None]))
            ends = [np.clip(mean[:, 0] + sign * beta * std, -3.0, 3.0) for sign in (1, -1)]
            high, low = ((1 + ACTIONS[:, 0]) * end for end in ends)
            totals += np.where(np.arange(5) == action, 0.0, high - low[action])
        least = np.minimum(least, totals)
    assert proved_certificate(game, KERNEL, data, assumed).loss == pytest.approx(least.max())


def test_boxes_bound_what_sums_do_not() -> None:
    """One round: the ellipsoid leaves more possible than the response domain does, which is [−0.1, 0.1]."""
    game = replace(GAME, response_domain=Box([-0.1], [0.1]))
    loss = proved_certificate(game, KERNEL, played([0], [0]), ASSUMED).loss
    assert loss == pytest.approx(2 * 0.1 + 0.1)  # r(4) at most 2 · 0.1, r(0) at least −0.1


def test_responses_that_contradict_the_assumptions_are_told() -> None:
    data = played([0, 1, 2, 3, 4] * 4, [0] * 20)._replace(responses=np.full((20, 1), 50.0))
    with pytest.raises(InvalidInput, match=r"contradict rkhs_norm_bound 2 and noise_std 0\.2"):
        proved_certificate(GAME, KERNEL, data, ASSUMED)


def test_without_noise_the_assumptions_keep_a_regularization() -> None:
    assumed = NormBound.of(LemmaWidth(2.0, 0.0, 0.5, 0.1))
    assert assumed.unit == 0.5
    assert NormBound.of(LemmaWidth(2.0, 0.2, 0.5, 0.1)).unit == pytest.approx(0.04)
    assert proved_certificate(GAME, KERNEL, played([0, 1, 2], [0, 1, 2]), assumed).loss >= 0
    for fault in ({"failure_probability": 1.0}, {"rkhs_norm_bound": 0.0}, {"noise_std": -1.0}, {"unit": 0.0}):
        with pytest.raises(InvalidInput):
            replace(ASSUMED, **fault)


FAR = np.append(np.linspace(0, 0.02, 4), 5.0)[:, None]
"""Actions that are nearly the same, and one of which the others say nothing."""


def unplayed(seed: int) -> tuple[float, Played, Game]:
    """The regret of a learner that never tries the far action, which earns nearly the whole norm."""
    game = Game("far", FAR, increasing(lambda _, y: y[:, 0], slopes=lambda x: np.ones((len(x), 1))), Box([-9.0], [9.0]))
    rng = np.random.default_rng(seed)
    b = Tabulated(FAR, TYPES[:1], np.append(np.full(4, 0.1), rng.uniform(1.6, 1.9))[None, :, None])
    run = play_run(game, Opponent(RandomTypes(TYPES[:1]), b, NOISE), fixed_action(0, 5), 30, seed)
    return float(regret(run, true_rewards(game, b)).cumulative[-1]), Played.of(run), game


@pytest.mark.parametrize(("factor", "holds"), [(1.0, 20), (0.3, 0)])
def test_proved_certificates_need_their_width(monkeypatch: pytest.MonkeyPatch, factor: float, holds: int) -> None:
    """b has a norm of at most 1.91 < 2; with 0.3 of the width no certificate of 20 holds."""
    monkeypatch.setattr(certificate, "radii", lambda *given: factor * radii(*given))
    games = [unplayed(seed) for seed in range(20)]
    found = [proved_certificate(game, RBF(0.5), data, ASSUMED).loss >= lost for lost, data, game in games]
    assert sum(found) == holds


PRIOR = ConstantKernel(1.0) * RBF(0.5)


@cache
def drawn(seed: int) -> tuple[StackelUCB, Run, float]:
    """A game whose b is drawn from the prior of the learner."""
    rng = np.random.default_rng(seed)
    game = replace(GAME, response_domain=Box([-9.0], [9.0]))
    values = rng.multivariate_normal(np.zeros(15), bind(PRIOR, 1)(pairs(ACTIONS, TYPES)), method="eigh")
    b = Tabulated(ACTIONS, TYPES, values.reshape(3, 5, 1))
    first = StackelUCB.anytime(game, belief_over(PRIOR, NOISE**2, ACTIONS, 1, TYPES), ConstantWidth(1.0))
    run = play_run(game, Opponent(RandomTypes(TYPES), b, NOISE), first, 30, seed)
    return first, run, float(regret(run, true_rewards(game, b)).cumulative[-1])


@pytest.mark.parametrize(("factor", "least", "most"), [(1.0, 0.83, 1.0), (0.3, 0.0, 0.8)])
def test_estimates_hold_in_nine_games_of_ten_and_not_if_narrowed(
    monkeypatch: pytest.MonkeyPatch, factor: float, least: float, most: float
) -> None:
    """b is drawn from the prior: at least 90 % hold in expectation; three standard deviations of 150 games are 7 %."""
    sums = ComparedRounds.sums

    def narrowed(*given: object) -> Sums:
        found = sums(*given)  # type: ignore[arg-type]
        return found._replace(std=factor * found.std)

    monkeypatch.setattr(ComparedRounds, "sums", narrowed)
    games = [drawn(seed) for seed in range(150)]
    share = np.mean([run_certificate(learner, run, 0.1).loss >= lost for learner, run, lost in games])
    assert least <= share <= most


def test_the_quantile_is_that_of_the_union() -> None:
    """Two structures and two actions, one of them certain: Σ_k P(k) Σ_x P(D_x > c) = δ, checked by the normal law."""
    from statistics import NormalDist

    first = Sums(np.array([1.0, 0.0]), np.array([[2.0, 0.0], [3.0, 4.0]]))
    second = Sums(np.array([-5.0, 2.0]), np.array([[0.0, 0.0], [1.0, 0.0]]))
    c, action = certificate._quantile([(0.25, first), (0.75, second)], 0.1)
    chance = 0.25 * (1 - NormalDist(1, 2).cdf(c)) + 0.25 * (1 - NormalDist(0, 5).cdf(c))
    assert chance + 0.75 * (1 - NormalDist(2, 1).cdf(c)) == pytest.approx(0.1)
    assert action == 1
    assert certificate._quantile([(1.0, Sums(np.array([-9.0]), np.array([[0.1]])))], 0.1)[0] == 0.0


@pytest.mark.parametrize("unit", [1e-15, 1e-3, 1.0, 1e18])
@pytest.mark.parametrize("share", [0.0, 1e-18, 1e-9, 2.0])
def test_the_quantile_is_the_same_in_every_unit(unit: float, share: float) -> None:
    """One action of mean 1 and a deviation of any size: 1 + 1.2816 deviations."""
    c, _ = certificate._quantile([(1.0, Sums(np.array([unit]), np.array([[share * unit]])))], 0.1)
    assert c == pytest.approx(unit * (1 + 1.2815515655 * share), rel=1e-9, abs=0)


def test_an_estimate_is_the_posterior_of_the_regret() -> None:
    """Draws of b from the posterior exceed it in at most a tenth, the union, and in no far smaller share."""
    learner, run, _ = drawn(3)
    belief = learner.belief
    for action, kind, response in zip(run.actions.tolist(), run.opponent_types, run.responses, strict=True):
        belief = belief.condition(action, kind, response)
    found = estimated_certificate(learner.game, learner.belief, Played.of(run), 0.9)
    k, points = bind(PRIOR, 1), np.hstack([ACTIONS[run.actions], run.opponent_types])
    domain = pairs(ACTIONS, TYPES)
    gain = k(domain, points) @ np.linalg.inv(k(points) + NOISE**2 * np.eye(30))
    mean, covariance = gain @ run.responses[:, 0], k(domain) - gain @ k(points, domain)
    draws = np.random.default_rng(0).multivariate_normal(mean, covariance, 20_000, method="eigh").reshape(-1, 3, 5)
    rewards = (1 + ACTIONS[:, 0]) * draws
    place = np.array([int(np.argmax(np.isclose(TYPES[:, 0], kind))) for kind in run.opponent_types[:, 0]])
    lost = rewards[:, place].sum(axis=1).max(axis=1) - rewards[:, place, run.actions].sum(axis=1)
    assert 0.05 <= np.mean(lost > found.loss) <= 0.105
    expected = (1 + ACTIONS[:, 0]) * mean.reshape(3, 5)
    assert found.expected == pytest.approx(np.max(expected[place].sum(axis=0)) - expected[place, run.actions].sum())


def test_a_secant_of_a_linear_reward_is_the_reward() -> None:
    """A reward that does not declare its slopes has the same estimate, inside of its domain."""
    learner, run, _ = drawn(1)
    plain = replace(learner.game, reward=increasing(SLOPED.function))
    declared = estimated_certificate(learner.game, learner.belief, Played.of(run), 0.9)
    assert estimated_certificate(plain, learner.belief, Played.of(run), 0.9).loss == pytest.approx(declared.loss)


def test_a_linear_reward_keeps_its_slopes_where_the_mean_is_outside_of_the_domain() -> None:
    """A posterior mean far beyond the domain: a secant within the domain would be flat there."""
    rounds = ComparedRounds.of(GAME, played([0], [0]))
    assert rounds.plane is not None
    np.testing.assert_allclose(rounds.plane.slope, 1 + ACTIONS)
    np.testing.assert_allclose(rounds.plane.value, 0.0)
    beyond = SimpleNamespace(predict=lambda _: Posterior(np.full((5, 1, 1), 99.0), np.full((5, 1, 1), 0.25)))
    for x, bounds in enumerate(certificate._secants(rounds, [beyond])):  # type: ignore[list-item]
        assert bounds.upper.slope.ravel() == pytest.approx([1 + ACTIONS[x, 0]])
    undeclared = replace(GAME, reward=increasing(SLOPED.function))
    assert ComparedRounds.of(undeclared, played([0], [0])).plane is None


def test_secants_of_a_square_by_hand() -> None:
    """From μ − σ to μ + σ, y² rises by 4 μ σ: it is linearised as μ² + 2 μ (y − μ).

    At the end of the domain [−3, 3] the secant goes from 3 − σ to 3, and its slope is 6 − σ.
    """
    game = replace(GAME, reward=increasing(lambda _, y: y[:, 0] ** 2))
    mean = np.array([0.5, -1.0, 2.0, 7.0, -7.0])
    regression = SimpleNamespace(predict=lambda _: Posterior(mean[:, None, None], np.full((5, 1, 1), 0.25)))
    found = certificate._secants(ComparedRounds.of(game, played([0], [0])), [regression])  # type: ignore[list-item]
    middle, slopes = np.array([0.5, -1.0, 2.0, 3.0, -3.0]), np.array([1.0, -2.0, 4.0, 5.5, -5.5])
    for bounds, centre, slope in zip(found, middle, slopes, strict=True):
        for plane in bounds:
            assert plane.slope.ravel() == pytest.approx([slope])
            assert plane.value == pytest.approx([centre**2 - slope * centre])


def test_an_estimate_is_at_most_what_the_domain_allows() -> None:
    learner, run, _ = drawn(2)
    narrow = replace(learner.game, response_domain=Box([-1e-3], [1e-3]))
    loss = estimated_certificate(narrow, learner.belief, Played.of(run), 0.9).loss
    assert loss == pytest.approx(float(certificate._most_anywhere(ComparedRounds.of(narrow, Played.of(run))).max()))
    assert loss <= 30 * 4e-3


def test_auto_has_an_estimate() -> None:
    game = GAMES["shore"].build()
    behaviour = GAMES["shore"].opponents(game)
    run = play_run(game, Opponent(RandomTypes(game.types), behaviour.respond, 0.1), auto(game), 40, 1)
    found = run_certificate(auto(game), run)
    assert not found.proved
    lost = float(regret(run, true_rewards(game, behaviour.respond)).cumulative[-1])
    assert lost <= found.loss <= 40
    assert found.per_round == found.loss / 40


def test_too_few_responses_tell_nothing_where_the_domain_is_infinite() -> None:
    game = replace(GAME, response_domain=Box([-np.inf], [np.inf]))
    run = play_run(game, Opponent(RandomTypes(TYPES), lambda x, _: np.ones((len(x), 1)), 0.1), uniform(5), 1, 0)
    with pytest.raises(InvalidInput, match="1 response so far, too few for a scale"):
        run_certificate(auto(game), run)
    for learner in (uniform(5), SimpleNamespace(game=game), SimpleNamespace(belief=auto(game).belief)):
        with pytest.raises(InvalidInput, match="has no belief about responses"):
            run_certificate(learner, run)  # type: ignore[arg-type]

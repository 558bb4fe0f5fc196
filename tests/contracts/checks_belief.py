"""What every Belief promises, as checks that raise AssertionError."""

from collections.abc import Callable

import numpy as np

from firstmover.core.arrays import Matrix, Vector
from firstmover.core.contracts import Belief
from firstmover.core.errors import FirstmoverError


def check_belief(prior: Belief, types: Matrix, regularization: float, rng: np.random.Generator) -> None:
    """All checks, from a belief before the first round and types that it can be asked about."""
    check_prior(prior, types)
    belief = prior
    for _ in range(12):
        action, kind, response = _random_observation(prior, types, rng)
        check_step(belief, types, regularization, (action, kind, response))
        check_value(belief, types, rng)
        belief = belief.condition(action, kind, response)
    check_order(prior, types, rng)
    for told in (prior, belief):
        check_refusals(told, types[0])


def _random_observation(belief: Belief, types: Matrix, rng: np.random.Generator) -> tuple[int, Vector, Vector]:
    kind = rng.choice(types)
    n, m = belief.predict(kind).mean.shape
    return int(rng.integers(n)), kind, rng.normal(size=m)


def _said(belief: Belief, types: Matrix) -> bytes:
    said = [belief.predict(kind) for kind in types]
    return b"".join(s.mean.tobytes() + s.std.tobytes() for s in said) + np.float64(belief.information_gain).tobytes()


def check_prior(prior: Belief, types: Matrix) -> None:
    """Before the first round: mean 0 (n, m), std (n,), nothing learnt."""
    assert prior.information_gain == 0.0, "nothing learnt yet"
    for kind in types:
        said = prior.predict(kind)
        assert said.mean.ndim == 2, "mean (n, m)"
        assert said.std.shape == said.mean.shape[:1], "std (n,)"
        assert not np.any(said.mean), "prior mean 0"
        assert np.all(np.isfinite(said.std)), "finite std"
        assert np.all(said.std >= 0), "std 0 or more"
        if hasattr(prior, "prior_std"):
            assert np.allclose(prior.prior_std(kind), said.std, rtol=1e-12), "the prior's own std"


def check_step(belief: Belief, types: Matrix, regularization: float, observation: tuple[int, Vector, Vector]) -> None:
    """At the observed pair, with s = σ²: μ ← μ + s (y − μ) / (s + λ), σ² ← s λ / (s + λ), γ ← γ + ½ log(1 + s / λ)."""
    action, kind, response = observation
    was, gained = belief.predict(kind), belief.information_gain
    new = belief.condition(action, kind, response)
    now, s = new.predict(kind), was.std[action] ** 2
    if hasattr(belief, "prior_std"):
        assert new.prior_std(kind).tobytes() == belief.prior_std(kind).tobytes(), "data leave the prior as it is"
    mean = was.mean[action] + s / (s + regularization) * (response - was.mean[action])
    gain = gained + 0.5 * np.log1p(s / regularization)
    assert np.allclose(now.mean[action], mean, rtol=1e-9, atol=1e-9), "the mean moves towards the response"
    assert np.isclose(now.std[action] ** 2, s * regularization / (s + regularization), rtol=1e-9), "the std shrinks"
    assert np.isclose(new.information_gain, gain, rtol=1e-9, atol=1e-12), "the gain is ½ log det"
    for other in types:
        before, after = belief.predict(other).std ** 2, new.predict(other).std ** 2
        assert np.all(after <= before + 1e-12 * np.max(before)), "std never grows"


def check_value(belief: Belief, types: Matrix, rng: np.random.Generator) -> None:
    """Two children and a grandchild leave the belief, and one another, as they were; so does writing into answers."""
    was = _said(belief, types)
    one = belief.condition(*_random_observation(belief, types, rng))
    heard = _said(one, types)
    response = _random_observation(belief, types, rng)[2]
    two = belief.condition(0, types[0], response)
    heard_two = _said(two, types)
    one.condition(*_random_observation(belief, types, rng))
    for answer in (belief.predict(types[0]).mean, belief.predict(types[0]).std, response):
        if answer.flags.writeable:
            answer[...] = 7.0
    assert _said(belief, types) == was, "the old belief stays as it was"
    assert _said(one, types) == heard, "a child does not notice its sibling"
    assert _said(two, types) == heard_two, "a child does not notice a grandchild"


def check_order(prior: Belief, types: Matrix, rng: np.random.Generator) -> None:
    """The same observations in another order say the same."""
    told = [_random_observation(prior, types, rng) for _ in range(8)]
    one = other = prior
    for first, last in zip(told, reversed(told), strict=True):
        one, other = one.condition(*first), other.condition(*last)
    for kind in types:
        a, b = one.predict(kind), other.predict(kind)
        assert np.allclose(a.mean, b.mean, atol=1e-8), "order does not matter to the mean"
        assert np.allclose(a.std, b.std, atol=1e-6 * np.max(prior.predict(kind).std)), "nor to the std"


def check_refusals(belief: Belief, kind: Vector) -> None:
    """What cannot be used is refused, with an error of firstmover's own."""
    n, m = belief.predict(kind).mean.shape
    y = np.zeros(m)
    attempts: dict[str, Callable[[], object]] = {
        "an action below the menu": lambda: belief.condition(-1, kind, y),
        "an action beyond the menu": lambda: belief.condition(n, kind, y),
        "a response with NaN": lambda: belief.condition(0, kind, np.full(m, np.nan)),
        "a longer response": lambda: belief.condition(0, kind, np.zeros(m + 1)),
        "a type with NaN, told": lambda: belief.condition(0, np.full(len(kind), np.nan), y),
        "a type with NaN, asked": lambda: belief.predict(np.full(len(kind), np.nan)),
    }
    for name, attempt in attempts.items():
        try:
            attempt()
        except FirstmoverError:
            continue
        raise AssertionError(f"{name} is refused")

"""Many observations of new types: their low-rank decomposition is the posterior, and one by one the same to the bit."""

import numpy as np
import pytest
from sklearn.gaussian_process.kernels import RBF, Kernel, Matern

from firstmover.beliefs import FreshBelief, fresh, information_gain, low_rank, posterior
from firstmover.core.arrays import Matrix, Vector
from firstmover.kernels import pairs

MENU = np.random.default_rng(0).random((70, 2))
Rows = tuple[list[int], Matrix, Matrix]


@pytest.fixture(autouse=True)
def early(monkeypatch: pytest.MonkeyPatch) -> None:
    """Decompose after 256 observations instead of 1,024."""
    for module in (fresh, low_rank):
        monkeypatch.setattr(module, "START", 256)
    monkeypatch.setattr(fresh, "STARTS", (256, 512))


def rows(count: int) -> Rows:
    rng = np.random.default_rng(1)
    return rng.integers(70, size=count).tolist(), rng.random((count, 1)), rng.normal(size=(count, 2))


def one_by_one(kernel: Kernel, noise: float, seen: Rows) -> FreshBelief:
    belief = FreshBelief.prior(kernel, noise, MENU, 2)
    for action, kind, response in zip(*seen, strict=True):
        belief = belief.condition(action, kind, response)
    return belief


def bits(belief: FreshBelief, kind: Vector) -> list[bytes]:
    return [part.tobytes() for part in belief.predict(kind)] + [np.float64(belief.information_gain).tobytes()]


@pytest.mark.parametrize(("count", "compressed"), [(200, False), (512, True), (640, True), (701, True)])
def test_it_agrees_with_the_whole_posterior(count: int, compressed: bool) -> None:
    """λ = 0.3 and t τ / λ = 7e-8: the bound on relative differences, which are far smaller."""
    seen, kind = rows(count), np.array([0.37])
    belief = one_by_one(RBF(0.5), 0.3, seen)
    base = belief._observed.base
    assert (base is not None) == compressed
    if base is not None:
        assert (base.count, len(base.pivots) < 0.7 * count) == (count // 128 * 128, True)
    points = np.hstack([MENU[seen[0]], seen[1]])
    mean, std = posterior(RBF(0.5), 0.3, points, seen[2], pairs(MENU, kind[None]))
    allowed = 1e-9 if compressed else 1e-12
    assert np.abs(belief.predict(kind).mean - mean).max() < allowed
    assert np.abs(belief.predict(kind).std - std).max() < allowed
    assert np.allclose(belief.covariance(kind).diagonal(), std**2, rtol=0, atol=allowed)
    assert belief.information_gain == pytest.approx(information_gain(RBF(0.5)(points), 0.3), abs=100 * allowed)


@pytest.mark.parametrize(
    ("kernel", "noise", "count", "compressed"),
    [
        pytest.param(RBF(0.5), 0.3, 701, True, id="low rank"),
        pytest.param(Matern(0.2, nu=0.5), 0.3, 600, False, id="rough"),
        pytest.param(RBF(0.5), 1e-5, 300, False, id="little noise"),
        pytest.param(RBF(0.5), 0.3, 40, False, id="less than a panel"),
    ],
)
def test_all_at_once_is_one_by_one_to_the_last_bit(kernel: Kernel, noise: float, count: int, compressed: bool) -> None:
    seen, kind = rows(count), np.array([0.61])
    single = one_by_one(kernel, noise, seen)
    batch = FreshBelief.prior(kernel, noise, MENU, 2).condition_each(*seen)
    assert (single._observed.base is not None) == compressed
    assert bits(batch, kind) == bits(single, kind)
    more = [belief.condition(3, kind, np.ones(2)) for belief in (batch, single)]
    assert bits(more[0], kind) == bits(more[1], kind)


def test_panels_are_computed_at_once_and_alike() -> None:
    seen, kind = rows(200), np.array([0.61])
    assert one_by_one(RBF(0.5), 0.3, seen)._observed.settled[0] == 192
    assert one_by_one(RBF(0.5), 1e-5, seen)._observed.settled[0] == 0
    batch = FreshBelief.prior(RBF(0.5), 0.3, MENU, 2).condition_each(*seen)
    assert bits(batch, kind) == bits(one_by_one(RBF(0.5), 0.3, seen), kind)


@pytest.mark.parametrize("count", [63, 64, 400, 511, 512, 530])
def test_an_older_belief_stays_as_it_was(count: int) -> None:
    """Successive beliefs share memory, also where a panel or the decomposition grows."""
    actions, kinds, responses = rows(count + 140)
    start = FreshBelief.prior(RBF(0.5), 0.3, MENU, 2).condition_each(actions[:count], kinds[:count], responses[:count])
    kind = np.array([0.2])
    before = bits(start, kind)
    ends = []
    for _ in range(2):
        belief = start
        for each in range(count, count + 140):
            belief = belief.condition(actions[each], kinds[each], responses[each])
        ends.append(belief)
    start._solved = None
    assert bits(start, kind) == before
    assert bits(ends[0], kind) == bits(ends[1], kind)

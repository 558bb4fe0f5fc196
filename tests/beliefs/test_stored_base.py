"""A stored low-rank decomposition gives the same bits as a computed one, and other bytes are ignored."""

from collections.abc import Callable

import numpy as np
import pytest
from sklearn.gaussian_process.kernels import RBF, Kernel

from firstmover.beliefs import FreshBelief, fresh, low_rank, posterior, stored_base
from firstmover.beliefs.stored_base import StoredBase
from firstmover.core.arrays import Matrix, Vector
from firstmover.kernels import pairs

MENU = np.random.default_rng(0).random((70, 2))
KIND = np.array([0.37])
Rows = tuple[list[int], Matrix, Matrix]


@pytest.fixture(autouse=True)
def early(monkeypatch: pytest.MonkeyPatch) -> None:
    """Decompose after 256 observations instead of 1,024."""
    for module in (fresh, low_rank):
        monkeypatch.setattr(module, "START", 256)
    monkeypatch.setattr(fresh, "STARTS", (256,))


def rows(count: int) -> Rows:
    rng = np.random.default_rng(1)
    return rng.integers(70, size=count).tolist(), rng.random((count, 1)), rng.normal(size=(count, 2))


def shifting(count: int) -> Rows:
    """Ten actions in the first 256 rounds, all of them afterwards."""
    actions, kinds, responses = rows(count)
    return [action % 10 if t < 256 else action for t, action in enumerate(actions)], kinds, responses


def first(seen: Rows, count: int) -> Rows:
    return seen[0][:count], seen[1][:count], seen[2][:count]


def learnt(seen: Rows, stored: StoredBase | None = None, kernel: Kernel | None = None) -> FreshBelief:
    return FreshBelief.prior(kernel or RBF(0.8), 0.3, MENU, 2).condition_each(*seen, stored)


def further(belief: FreshBelief, seen: Rows) -> FreshBelief:
    for action, kind, response in zip(*(part[belief.count :] for part in seen), strict=True):
        belief = belief.condition(action, kind, response)
    return belief


def bits(belief: FreshBelief, kind: Vector = KIND) -> list[bytes]:
    return [part.tobytes() for part in belief.predict(kind)] + [np.float64(belief.information_gain).tobytes()]


def content(seen: Rows) -> bytes:
    found = learnt(seen).base_to_store("here")
    assert found is not None
    return found


@pytest.mark.parametrize("order", [rows, shifting])
@pytest.mark.parametrize("count", [256, 300, 384, 401, 530])
def test_a_belief_from_a_stored_base_has_the_same_bits(order: Callable[[int], Rows], count: int) -> None:
    """Also if observations or blocks came since it was stored, and if a new decomposition is due after it."""
    seen = order(600)
    kept = StoredBase("here", content(first(seen, 270)))
    running = further(learnt(first(seen, 200)), first(seen, count))
    again = learnt(first(seen, count), kept)
    assert again._observed.stored_count == 256
    assert bits(again) == bits(running)
    assert bits(further(again, seen)) == bits(further(running, seen))


def test_observations_that_the_pivots_do_not_represent_stay_exact() -> None:
    seen = shifting(400)
    belief = learnt(seen)
    base = belief._observed.base
    assert base is not None
    assert 20 < len(base.outside) <= 128
    points = np.hstack([MENU[seen[0]], seen[1]])
    mean, std = posterior(RBF(0.8), 0.3, points, seen[2], pairs(MENU, KIND[None]))
    assert np.abs(belief.predict(KIND).mean - mean).max() < 1e-7
    assert np.abs(belief.predict(KIND).std - std).max() < 1e-7


def test_many_of_them_are_decomposed_anew() -> None:
    few, many = (learnt(shifting(count))._observed.base for count in (384, 640))
    assert few is not None
    assert many is not None
    assert len(few.outside) > 20
    assert len(many.outside) < len(few.outside)
    assert len(many.pivots) > len(few.pivots)


@pytest.mark.parametrize("place", [0, 40, 70, 100, 5_000, -1])
def test_damaged_bytes_are_ignored(place: int) -> None:
    seen = rows(270)
    damaged = bytearray(content(seen))
    damaged[place] ^= 1
    again = learnt(seen, StoredBase("here", bytes(damaged)))
    assert again._observed.stored_count == 0
    assert bits(again) == bits(learnt(seen))


@pytest.mark.parametrize("size", [0, 10, 64, 90, 5_000])
def test_truncated_bytes_are_ignored(size: int) -> None:
    seen = rows(270)
    assert learnt(seen, StoredBase("here", content(seen)[:size]))._observed.stored_count == 0


def test_bytes_of_other_observations_kernels_or_machines_are_ignored() -> None:
    seen = rows(270)
    kept = content(seen)
    sample = learnt(seen)._observed.sample()
    assert StoredBase("here", kept).base(sample) is not None
    assert StoredBase("elsewhere", kept).base(sample) is None
    for name in ("points", "responses", "variances"):
        other = {part: getattr(sample, part).copy() for part in ("points", "responses", "variances")}
        other[name].ravel()[other[name].size // 2] *= 1 + 1e-15
        assert StoredBase("here", kept).base(low_rank.Sample(sample.kernel, **other)) is None
    others = low_rank.Sample(RBF(0.8 * (1 + 1e-15)), sample.points, sample.responses, sample.variances)
    assert StoredBase("here", kept).base(others) is None
    assert learnt(first(seen, 255), StoredBase("here", kept))._observed.stored_count == 0


def test_it_is_stored_when_new_and_after_two_blocks() -> None:
    seen = rows(600)
    belief, stored = learnt(first(seen, 250)), []
    for count in range(250, 600):
        belief = further(belief, first(seen, count + 1))
        if belief.base_to_store("here") is not None:
            stored.append(belief.count)
    assert stored == [256, 512]
    again = learnt(seen, StoredBase("here", content(first(seen, 530))))
    assert again.base_to_store("here") is None


def test_a_new_decomposition_is_stored_at_once() -> None:
    belief = learnt(rows(270))
    assert belief.base_to_store("here") is not None
    assert belief.base_to_store("here") is None
    belief._observed.stored_pivots = belief._observed.stored_pivots.copy()  # those of an earlier one
    assert belief.base_to_store("here") is not None


def test_its_size_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = rows(270)
    base = learnt(seen)._observed.base
    assert base is not None
    r = len(base.pivots)
    assert len(content(seen)) == 64 + 8 * (4 + r + r * (r + 1) + 2 * (256 + r))
    monkeypatch.setattr(stored_base, "MOST_BYTES", 8 * r * (r + 1) - 1)
    assert learnt(seen).base_to_store("here") is None

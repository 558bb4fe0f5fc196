"""Beliefs are values: successive ones share buffers, and nobody notices."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.gaussian_process.kernels import RBF

from firstmover.beliefs.growing import GrowingRows
from tests.problems import random_problem


def heard(belief, types):
    """All that a belief says, as bytes."""
    said = [belief.predict(kind) for kind in types]
    return b"".join(s.mean.tobytes() + s.std.tobytes() for s in said) + np.float64(belief.information_gain).tobytes()


def check_same(one, other, types):
    """Equal but for what another memory layout may do to a sum."""
    for a, b in ((one.predict(kind), other.predict(kind)) for kind in types):
        np.testing.assert_allclose(a.mean, b.mean, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(a.std, b.std, rtol=1e-12, atol=1e-12)
    assert one.information_gain == pytest.approx(other.information_gain, rel=1e-12, abs=1e-12)


class Told:
    """A belief with the list of observations that it should be the posterior of."""

    def __init__(self, belief, history=()):
        self.belief, self.history = belief, history

    def tell(self, action, kind, response):
        return Told(self.belief.condition(action, kind, response), (*self.history, (action, kind, response)))

    def replay(self, prior):
        for observation in self.history:
            prior = prior.condition(*observation)
        return prior


@settings(max_examples=50)
@given(seed=st.integers(0, 10**6), fresh=st.booleans(), steps=st.lists(st.integers(1, 6), max_size=40))
def test_any_tree_of_children(seed, fresh, steps):
    """Children of any of the last six, deeper and deeper: none changes by a bit, each says what a lone replay says."""
    rng = np.random.default_rng(seed)
    problem = random_problem(rng, t=1, kernel=RBF(0.5))
    family = [Told(problem.priors()[fresh])]
    first = [heard(family[0].belief, problem.types)]
    for step in steps:
        parent = family[-min(step, len(family))]
        kind = rng.choice(problem.types)
        response = rng.normal(size=problem.responses.shape[1])
        family.append(parent.tell(int(rng.integers(len(problem.actions))), kind, response))
        first.append(heard(family[-1].belief, problem.types))
    for member, was in zip(family, first, strict=True):
        assert heard(member.belief, problem.types) == was
        check_same(member.belief, member.replay(problem.priors()[fresh]), problem.types)


class Own(RBF):
    """A kernel of one's own, which a belief can only call."""


@pytest.mark.parametrize("kernel", [RBF(0.5), Own(0.5)])
@pytest.mark.parametrize("rounds", [10, 64, 80, 130])
@pytest.mark.parametrize("fresh", [False, True])
def test_two_long_lines_from_one_parent(fresh, rounds, kernel):
    """Before, at and past the sizes at which buffers grow, panels begin and rows are folded."""
    rng = np.random.default_rng(1)
    problem = random_problem(rng, t=rounds, kernel=kernel)
    parent = problem.told(problem.priors()[fresh])
    was = heard(parent, problem.types)
    lines = [Told(parent), Told(parent)]
    for _ in range(70):
        for side in (0, 1):
            kind, response = rng.choice(problem.types), rng.normal(size=problem.responses.shape[1])
            lines[side] = lines[side].tell(int(rng.integers(len(problem.actions))), kind, response)
    assert heard(parent, problem.types) == was
    for line in lines:
        alone = line.replay(problem.told(problem.priors()[fresh]))
        check_same(line.belief, alone, problem.types)


def test_a_first_child_goes_on_in_the_memory_of_its_parent():
    problem = random_problem(np.random.default_rng(2), t=5)
    parent = problem.told(problem.priors()[True])
    children = [parent.condition(0, problem.types[0], problem.responses[0]) for _ in range(2)]
    shared = [np.shares_memory(parent._observed.solved.first(5), child._observed.solved.first(5)) for child in children]
    assert shared == [True, False]


def test_a_prediction_cannot_write_into_its_belief():
    problem = random_problem(np.random.default_rng(2), t=5)
    for belief in problem.beliefs():
        was, said = heard(belief, problem.types), belief.predict(problem.types[0])
        for values in said:
            if values.flags.writeable:
                values[:] = 7.0
        assert heard(belief, problem.types) == was


def test_a_refused_response_leaves_the_belief_as_it_was():
    problem = random_problem(np.random.default_rng(2), t=5)
    for belief in problem.beliefs():
        was = heard(belief, problem.types)
        with pytest.raises(ValueError, match="response"):
            belief.condition(0, problem.types[0], np.full(problem.responses.shape[1], np.nan))
        assert heard(belief, problem.types) == was


def test_rows_and_columns_grow():
    rows = GrowingRows(1)
    for t in range(40):
        rows.append(t, np.arange(1.0, t + 2))
    np.testing.assert_array_equal(rows.first(40)[:, :40], np.tril(np.tile(np.arange(1.0, 41.0), (40, 1))))


def test_a_copy_of_growing_rows_is_independent():
    rows = GrowingRows(2)
    for t in range(3):
        rows.append(t, np.full(2, float(t)))
    copy = rows.copied(2)
    copy.append(2, np.array([7.0, 8.0]))
    np.testing.assert_array_equal(copy.first(3), [[0.0, 0.0], [1.0, 1.0], [7.0, 8.0]])
    np.testing.assert_array_equal(rows.first(3)[2], [2.0, 2.0])

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.gaussian_process.kernels import RBF
from studies.forgetting import Forgetting
from studies.monotone_choice import Deterred

from firstmover.core.errors import InvalidInput

THETA = np.zeros(1)
X = np.array([[0.5, 0.3, 0.2], [0.4, 0.1, 0.5], [0.6, 0.4, 0.0], [0.1, 0.8, 0.1]])


def prior(actions=X, memory=50):
    return Deterred(Forgetting.prior(RBF(0.1), 1e-3, actions, actions.shape[1], 1000.0), actions, memory)


def told(belief, *reports):
    for action, place in reports:
        belief = belief.condition(action, THETA, np.eye(belief.actions.shape[1])[place])
    return belief


def test_one_choice_rules_out_by_hand():
    """Place 0 was chosen at (0.5, 0.3, 0.2): so also before j wherever x[0] ≤ 0.5 and x[j] is no less than then."""
    expected = [[False, True, True], [False, False, True], [False, False, False], [False, True, False]]
    assert told(prior(), (0, 0)).ruled_out().tolist() == expected


def test_the_mean_is_zero_where_ruled_out_and_sums_to_one():
    belief = told(prior(), (0, 0), (2, 1))
    mean = belief.predict(THETA).mean
    assert np.all(mean[belief.ruled_out()] == 0)
    assert mean.sum(axis=1) == pytest.approx(np.ones(4))
    assert mean[0] == pytest.approx([1.0, 0.0, 0.0])


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000))
def test_whom_coverage_deters_is_never_ruled_out(seed):
    """The place of the largest a_i − f(x[i]), f rising, whatever a and f, after choices at other actions."""
    rng = np.random.default_rng(seed)
    actions, appeal, power = rng.dirichlet(np.ones(5), size=30), rng.random(5), rng.uniform(0.3, 3.0)
    chosen = np.argmax(appeal - 2 * actions**power, axis=1)
    ruled_out = told(prior(actions), *((a, chosen[a]) for a in range(15))).ruled_out()
    assert not ruled_out[np.arange(30), chosen].any()
    assert ruled_out.any()


def test_old_reports_rule_out_nothing_and_the_latest_of_an_action_counts():
    assert not told(prior(memory=2), (0, 0), (3, 2), (3, 2)).ruled_out()[0].any()
    assert told(prior(memory=3), (0, 0), (3, 2), (3, 2)).ruled_out()[0].tolist() == [False, True, True]
    assert told(prior(), (0, 0), (0, 1)).ruled_out()[0].tolist() == [True, False, True]


def test_reports_that_contradict_each_other_rule_out_nothing():
    """At (0.3, 0.3) place 0 was chosen, at (0.2, 0.4) place 1, though it is covered more there."""
    actions = np.array([[0.3, 0.3], [0.2, 0.4], [0.25, 0.35]])
    belief = told(prior(actions), (0, 0), (1, 1))
    assert belief.ruled_out()[2].tolist() == [False, False]
    assert belief.predict(THETA).mean.sum(axis=1) == pytest.approx(np.ones(3))


def test_a_memory_of_no_round_is_refused():
    with pytest.raises(InvalidInput, match="memory is 0"):
        prior(memory=0)

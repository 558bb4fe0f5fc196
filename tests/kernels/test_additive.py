import numpy as np
import pytest

from firstmover.core.errors import InvalidInput
from firstmover.kernels import MenuGram, bind, kernel_from, on_action, on_type
from firstmover.kernels.domain_kernels import Total, additive


def test_a_value_worked_by_hand():
    """((2·3)/4)² + ((1·−2)/4)² = 2.25 + 0.25."""
    assert additive(2, scale=2.0)([[2.0, 1.0]], [[3.0, -2.0]])[0, 0] == pytest.approx(2.5, rel=1e-15)
    assert additive(3)([[2.0, 1.0]], [[3.0, -2.0]])[0, 0] == pytest.approx(216 - 8, rel=1e-15)


def test_two_features_never_mix():
    """A load on one link says nothing of another; halving a load divides k(z, z) by 2^(2 · 4)."""
    kernel = additive(4)
    assert kernel([[1.0, 0.0]], [[0.0, 1.0]])[0, 0] == 0
    assert kernel.diag([[1.0, 1.0]])[0] == pytest.approx(256 * kernel.diag([[0.5, 0.5]])[0], rel=1e-15)


def test_it_stands_on_a_part_and_in_the_table():
    z, other = np.array([[2.0, 5.0]]), np.array([[3.0, -1.0]])
    assert bind(on_action(additive(2)), 1)(z, other)[0, 0] == 36
    assert bind(on_type(additive(2)), 1)(z, other)[0, 0] == 25
    assert kernel_from({"name": "additive", "degree": 2})(z, other)[0, 0] == 61


@pytest.mark.parametrize(("degree", "scale", "sentence"), [(0, 1.0, "degree is 0"), (2, 0.0, "scale is 0.0")])
def test_what_cannot_be_is_refused(degree, scale, sentence):
    with pytest.raises(InvalidInput, match=sentence):
        additive(degree, scale)


def test_a_total_has_one_common_coefficient():
    z, other = [[2.0, 4.0]], [[6.0, 2.0]]
    assert Total(2, 2.0)(z, other)[0, 0] == pytest.approx((1 + 4) * (9 + 1))
    assert Total(2, 2.0).diag(z) == pytest.approx([25.0])
    menu = np.random.default_rng(0).random((5, 2))
    for kernel in (on_action(Total(4, 1.0)), Total(4, 1.0)):  # a table, and a kernel that mixes action and type
        whole = MenuGram(kernel, menu)
        past, types = [0, 3], np.array([[0.5], [2.0]])
        rows = [np.array([whole.action_rows(a)[i] for a in past]) for i in range(len(whole.tables))]
        points = np.hstack([menu, np.full((5, 1), 3.0)])
        expected = whole.kernel(np.hstack([menu[past], types]), points)
        assert whole.across(rows, past, types, np.array([3.0])) == pytest.approx(expected)

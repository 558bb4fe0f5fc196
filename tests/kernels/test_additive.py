import numpy as np
import pytest

from firstmover.core.errors import InvalidInput
from firstmover.kernels import bind, kernel_from, on_action, on_type
from firstmover.kernels.domain_kernels import additive


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

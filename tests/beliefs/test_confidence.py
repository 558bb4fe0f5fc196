import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from firstmover.beliefs import ConstantWidth, LemmaWidth, confidence_box
from firstmover.core.errors import InvalidInput
from firstmover.core.records import Box, Prediction

LEMMA = {"rkhs_norm_bound": 3.0, "noise_std": 0.5, "regularization": 4.0, "failure_probability": 0.1}


def test_hand_worked_at_four():
    """σ = ½, B = 3, δ = 0.1, γ = 2: root = √(2 log 10 + 4) = √8.60517019 = 2.93345704.

    With λ = 4: √(8.60517019 / 16 + 9) = √9.53782314 = 3.08833663; the sum is ½ / √4 · root + 3 = 3.73336426; as printed
    ½ / 4 · root + 3 / √4 = 1.86668213.
    """
    assert LemmaWidth(**LEMMA)(2.0) == pytest.approx(3.08833663, abs=1e-8)
    assert LemmaWidth(**LEMMA, formula="sum")(2.0) == pytest.approx(3.73336426, abs=1e-8)
    assert LemmaWidth(**LEMMA, formula="printed")(2.0) == pytest.approx(1.86668213, abs=1e-8)


@given(gain=st.floats(0, 1e3), bound=st.floats(1e-3, 1e3), noise=st.floats(0, 1e3), chance=st.floats(1e-6, 0.999))
def test_the_readings_agree_at_one(gain, bound, noise, chance):
    both = [LemmaWidth(bound, noise, 1.0, chance, formula=formula)(gain) for formula in ("sum", "printed")]
    assert both[0] == pytest.approx(both[1], rel=1e-14)


@given(
    gain=st.floats(0, 1e3), bound=st.floats(1e-3, 1e3), noise=st.floats(1e-3, 1e3), regularization=st.floats(1e-3, 1e3)
)
def test_the_default_is_narrower_than_the_sum_by_a_factor_of_at_most_root_two(gain, bound, noise, regularization):
    """√(s² + B²) < s + B ≤ √2 √(s² + B²) for s, B > 0, with equality on the right at s = B."""
    tight, added = (LemmaWidth(bound, noise, regularization, 0.1, formula=name)(gain) for name in ("tight", "sum"))
    assert tight < added <= np.sqrt(2) * tight * (1 + 1e-14)


def test_union_bound():
    """m outputs at δ are one output at δ / m: log(3 / 0.3) = log(1 / 0.1)."""
    three = LemmaWidth(**{**LEMMA, "failure_probability": 0.3}, n_outputs=3)
    assert three(2.0) == pytest.approx(LemmaWidth(**LEMMA)(2.0), rel=1e-14)
    assert LemmaWidth(**LEMMA, n_outputs=2)(0.0) > LemmaWidth(**LEMMA)(0.0)


def test_without_noise_the_width_is_the_norm():
    assert LemmaWidth(**{**LEMMA, "noise_std": 0.0})(100.0) == 3.0


def test_constant_width_learns_nothing():
    assert ConstantWidth(0.5)(0.0) == ConstantWidth(0.5)(1e9) == 0.5


@pytest.mark.parametrize(
    ("field", "value", "remedy"),
    [
        ("failure_probability", 0.0, "failure_probability is 0.0: give a number between 0 and 1"),
        ("failure_probability", 1.0, "failure_probability is 1.0: give a number between 0 and 1"),
        ("failure_probability", np.nan, "failure_probability is nan: give a number between 0 and 1"),
        ("regularization", 0.0, "regularization is 0.0: it must be a finite number above 0"),
        ("rkhs_norm_bound", -1.0, "rkhs_norm_bound is -1.0: it must be a finite number above 0"),
        ("noise_std", -0.1, "noise_std is -0.1: give a finite number, 0 or more"),
        ("noise_std", np.inf, "noise_std is inf: give a finite number, 0 or more"),
        ("n_outputs", 0, "n_outputs is 0: give 1 or more"),
        ("formula", "exact", "formula is 'exact': give one of tight, sum, printed"),
    ],
)
def test_lemma_refuses(field, value, remedy):
    with pytest.raises(InvalidInput, match=remedy):
        LemmaWidth(**{**LEMMA, field: value})


@pytest.mark.parametrize("value", [-0.5, np.nan, np.inf])
def test_constant_refuses(value):
    with pytest.raises(InvalidInput, match=f"confidence_width is {value}: give a finite number, 0 or more"):
        ConstantWidth(value)


def test_hand_worked_box():
    """Two actions, two outputs, one σ for each action: μ ∓ 2σ, before any cut."""
    everything = Box([-np.inf, -np.inf], [np.inf, np.inf])
    box = confidence_box(Prediction(np.array([[1.0, -1.0], [4.0, 0.0]]), np.array([0.5, 3.0])), 2.0, everything)
    np.testing.assert_array_equal(box.lower, [[0.0, -2.0], [-2.0, -6.0]])
    np.testing.assert_array_equal(box.upper, [[2.0, 0.0], [10.0, 6.0]])


def test_box_cut_to_the_domain_and_where_it_misses():
    """Inside, across a face, all above and all below [0, 1]: the last two shrink to the nearest face."""
    prediction = Prediction(np.array([[0.5], [0.9], [5.0], [-5.0]]), np.full(4, 0.2))
    box = confidence_box(prediction, 1.0, Box([0.0], [1.0]))
    np.testing.assert_allclose(box.lower[:, 0], [0.3, 0.7, 1.0, 0.0])
    np.testing.assert_allclose(box.upper[:, 0], [0.7, 1.0, 1.0, 0.0])


@given(arrays(float, (4, 2), elements=st.floats(-10, 10)), arrays(float, 4, elements=st.floats(0, 10)))
def test_box_lies_in_the_domain_and_keeps_what_both_hold(mean, std):
    domain = Box([-1.0, 2.0], [1.0, np.inf])
    box = confidence_box(Prediction(mean, std), 1.5, domain)
    assert np.all((domain.lower <= box.lower) & (box.lower <= box.upper) & (box.upper <= domain.upper))
    lower, upper = mean - 1.5 * std[:, None], mean + 1.5 * std[:, None]
    meets = (lower <= domain.upper) & (upper >= domain.lower)
    np.testing.assert_array_equal(box.lower[meets], np.maximum(lower, domain.lower)[meets])
    np.testing.assert_array_equal(box.upper[meets], np.minimum(upper, domain.upper)[meets])

import numpy as np
import pytest

from firstmover.core.errors import InvalidInput
from firstmover.kernels import KERNELS, bind, kernel_from

Z = np.array([[1.0, 2.0]])
OTHER = np.array([[3.0, -1.0]])  # z·z' = 1, ‖z − z'‖² = 13


@pytest.mark.parametrize(
    ("description", "value"),
    [
        ({"name": "rbf", "length_scale": 2.0, "variance": 3.0}, 3 * np.exp(-13 / 8)),
        ({"name": "matern", "nu": 0.5, "length_scale": 2.0, "variance": 3.0}, 3 * np.exp(-np.sqrt(13) / 2)),
        ({"name": "linear", "bias": 4.0}, 5.0),
        ({"name": "linear", "bias": 0}, 1.0),
        ({"name": "polynomial", "degree": 3, "bias": 2.0}, 27.0),
        ({"name": "additive", "degree": 2, "scale": 2.0}, (3 / 4) ** 2 + (-2 / 4) ** 2),
        (
            {
                "name": "product",
                "action": {"name": "linear", "bias": 2},
                "opponent_type": {"name": "linear", "bias": 7},
            },
            (2 + 3) * (7 - 2),
        ),
    ],
)
def test_each_named_kernel_has_the_value_worked_by_hand(description: dict[str, object], value: float) -> None:
    assert bind(kernel_from(description), action_features=1)(Z, OTHER)[0, 0] == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize(
    ("description", "sentence"),
    [
        ({}, "give its name"),
        (7, "kernel is 7"),
        ({"name": "rbg"}, "did you mean 'rbf'"),
        ({"name": "rbf", "lenght_scale": 1.0}, "did you mean 'length_scale'"),
        ({"name": "rbf", "length_scale": 0.0}, "length_scale is 0.0"),
        ({"name": "rbf", "length_scale": "long"}, "length_scale of kernel 'rbf' is 'long'"),
        ({"name": "rbf", "variance": True}, "variance of kernel 'rbf' is True"),
        ({"name": "matern", "nu": -1}, "nu is -1"),
        ({"name": "linear", "bias": -1}, "bias is -1"),
        ({"name": "polynomial"}, "degree of kernel 'polynomial' is missing: give it"),
        ({"name": "polynomial", "degree": 2.5}, "degree of kernel 'polynomial' is 2.5: it should be a valid integer"),
        ({"name": "product", "action": {"name": "rbf"}}, "opponent_type of kernel 'product' is missing: give it"),
        ({"name": "product", "action": 3, "opponent_type": {"name": "rbf"}}, "kernel is 3"),
    ],
)
def test_a_wrong_description_is_refused_in_one_sentence(description: dict[str, object], sentence: str) -> None:
    with pytest.raises(InvalidInput, match=sentence):
        kernel_from(description)


def test_every_kernel_of_the_table_has_a_summary() -> None:
    assert all(entry.summary for entry in KERNELS.values())

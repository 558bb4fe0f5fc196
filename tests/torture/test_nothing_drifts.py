"""The longest game that a finite domain is made for."""

import pytest

from tests.beliefs.test_pitfalls import drift, park


@pytest.mark.slow
def test_a_hundred_thousand_rounds_in_the_park():
    mean, std = drift(park(100_000))
    assert mean <= 1e-13
    assert std <= 1e-13

from collections.abc import Callable
from typing import Any

import pytest

from firstmover.runs import ExperimentSpec


@pytest.fixture
def make_spec() -> Callable[..., ExperimentSpec]:
    def make(**fields: Any) -> ExperimentSpec:
        small = {"game": "shore", "rounds": 12, "seeds": 2, "learners": ["stackelucb", "fixed:3"]}
        return ExperimentSpec.read(small | fields)

    return make

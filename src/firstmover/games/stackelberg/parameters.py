"""The parameters of the harbour."""

from pydantic import Field

from firstmover.core.documents import Specification


class HarbourParameters(Specification):
    """The number of rounds for which the grid of mixtures is fine enough."""

    horizon: int = Field(default=400, ge=1)

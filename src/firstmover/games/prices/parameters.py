"""The parameters of the game of prices."""

from pydantic import Field

from firstmover.core.documents import Specification


class PricesParameters(Specification):
    """The penalty for each unit of demand above a station's capacity."""

    overload_penalty: float = Field(default=0.5, ge=0, allow_inf_nan=False)

"""What callers give, as strict models: `true` is no number, NaN is refused, and so is a field that is not known."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from firstmover.core.documents import one_of

Number = Annotated[float, Field(allow_inf_nan=False)]
Whole = Annotated[int, Field(ge=-(2**53), le=2**53)]
Text = Annotated[str, Field(max_length=200)]
Reason = Annotated[
    str,
    Field(min_length=1, max_length=500, pattern=r"\S", examples=["the counter was broken"]),
    one_of("a text of 1 to 500 characters that says why"),
]
Numbers = Annotated[list[Number], Field(min_length=1, max_length=10_000)]


TypeValue = Annotated[Whole | Number | Text | Numbers, one_of("a finite number, a short text or a list of numbers")]
Types = Annotated[dict[Text, TypeValue], Field(min_length=1, max_length=1000, examples=[{"demand": "high"}])]
Responses = Annotated[dict[Text, Number], Field(min_length=1, max_length=1000, examples=[{"congestion": 3.2}])]


class Given(BaseModel):
    """What a caller gives."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


def example(**fields: Any) -> ConfigDict:
    """For the OpenAPI: one example of a whole model."""
    return ConfigDict(json_schema_extra={"examples": [fields]})


TOLD = {"opponent_type": {"demand": "high"}, "response": {"congestion": 3.2}}


class NewMatch(Given):
    """The configuration of a match, as an object or as the TOML of a template; one of the two."""

    model_config = example(config={"menu": {"game": "shore"}, "horizon": 100})

    config: dict[str, Any] | None = Field(default=None, examples=[{"menu": {"game": "shore"}, "horizon": 100}])
    toml: Annotated[str, Field(max_length=1 << 20)] | None = None


class Outcome(Given):
    """What happened in a round."""

    model_config = example(**TOLD)

    opponent_type: Types
    response: Responses


class Void(Given):
    """Why nothing will be told of a round."""

    model_config = example(reason="the counter was broken")

    reason: Reason


class Correction(Given):
    """What happened after all; without values, that nothing was observed."""

    model_config = example(**TOLD, reason="misread")

    opponent_type: Types | None = None
    response: Responses | None = None
    reason: Reason


class HistoryRow(Given):
    """What was observed elsewhere: the action by label or index, the type and the response."""

    action: Annotated[Text | Annotated[int, Field(ge=0, le=2**53)], one_of("a label or an index of the menu")]
    type: Types
    response: Responses


class History(Given):
    """Rows that feed the belief, never the strategy."""

    model_config = example(
        rows=[{"action": "north", "type": {"demand": "low"}, "response": {"congestion": 2.5}}], source="last year"
    )

    rows: list[HistoryRow] = Field(min_length=1, max_length=100_000)
    source: Text = ""
    again: bool = False

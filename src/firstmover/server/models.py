"""What goes in and out, as strict models: `true` is no number, NaN is refused, and so is a field that is not known."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from firstmover.server.listing import Kind

Number = Annotated[float, Field(allow_inf_nan=False)]
Whole = Annotated[int, Field(ge=-(2**53), le=2**53)]
Text = Annotated[str, Field(max_length=200)]
Reason = Annotated[str, Field(min_length=1, max_length=500, pattern=r"\S", examples=["the counter was broken"])]
TypeValue = Whole | Number | Text | Annotated[list[Number], Field(min_length=1, max_length=10_000)]
Types = Annotated[dict[Text, TypeValue], Field(min_length=1, max_length=1000, examples=[{"demand": "high"}])]
Responses = Annotated[dict[Text, Number], Field(min_length=1, max_length=1000, examples=[{"congestion": 3.2}])]


class Given(BaseModel):
    """What a caller gives."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class NewMatch(Given):
    """The configuration of a match, as an object or as the TOML of a template; one of the two."""

    config: dict[str, Any] | None = Field(default=None, examples=[{"menu": {"game": "shore"}, "horizon": 100}])
    toml: Annotated[str, Field(max_length=1 << 20)] | None = None


class Outcome(Given):
    """What happened in a round."""

    opponent_type: Types
    response: Responses


class Void(Given):
    """Why nothing will be told of a round."""

    reason: Reason


class Correction(Given):
    """What happened after all; without values, that nothing was observed."""

    opponent_type: Types | None = None
    response: Responses | None = None
    reason: Reason


class HistoryRow(Given):
    """What was observed elsewhere: the action by label or index, the type and the response."""

    action: Text | Annotated[int, Field(ge=0, le=2**53)]
    type: Types
    response: Responses


class History(Given):
    """Rows that feed the belief, never the strategy."""

    rows: list[HistoryRow] = Field(min_length=1, max_length=100_000)
    source: Text = ""


class Answer(BaseModel):
    """What the service gives."""

    model_config = ConfigDict(frozen=True)


class ListedMatch(Answer):
    """One match of the store."""

    name: str
    kind: Kind
    asked: int
    told: int
    pending: list[str]
    void: int


class MatchList(Answer):
    """All matches of the store."""

    matches: list[ListedMatch]


class NamedType(Answer):
    """One thing that is known of an opponent: one of some levels, a number, or all numbers of a vector."""

    name: str
    unit: str
    levels: list[str] | None
    numbers: bool


class NamedResponse(Answer):
    """One number that is observed: its unit and where it can lie."""

    name: str
    unit: str
    lower: float | None
    upper: float | None


class SettingOut(Answer):
    """What a match is about."""

    name: str
    kind: Kind
    title: str
    actions: int
    features: list[str]
    types: list[NamedType]
    responses: list[NamedResponse]
    reward: str
    config: dict[str, Any]
    role: Literal["owner", "reader"]
    demo: bool


class MenuRow(Answer):
    """One action."""

    action: int
    label: str
    features: dict[str, float]


class MenuOut(Answer):
    """Actions of the menu, from `offset` on."""

    rows: list[MenuRow]
    total: int


class TemplateName(Answer):
    """A template and what it is about."""

    name: str
    about: str


class TemplateList(Answer):
    """Configurations to begin with."""

    templates: list[TemplateName]


class TemplateOut(Answer):
    """A commented configuration that works as it is."""

    name: str
    toml: str


class DecisionOut(Answer):
    """What to do in a round; `strategy` is p_t, if it was asked for."""

    round_id: str
    action: int
    label: str
    features: dict[str, float]
    probability: float
    strategy: list[float] | None = None


class RoundOut(Answer):
    """One round; action, label and probability are null where they are not yet revealed."""

    round_id: str
    status: Literal["pending", "told", "void"]
    action: int | None
    label: str | None
    probability: float | None
    opponent_type: dict[str, Any] | None
    response: dict[str, float] | None
    reward: float | None
    delay: int
    corrections: int
    reason: str
    asked_at: str


class Recorded(Answer):
    """Whether something new was recorded, and the round as it now is."""

    new: bool
    round: RoundOut


class RoundList(Answer):
    """Rounds, and how many there are in all."""

    rounds: list[RoundOut]
    total: int


class Imported(Answer):
    """How many rows were new: all of them, or none when they were imported before."""

    new: int


class StatusOut(Answer):
    """How a match is doing, in figures and in sentences."""

    name: str
    asked: int
    told: int
    pending: list[str]
    void: int
    corrected: int
    imported: int
    refits: int
    total_delay: int
    inside: int
    counted: int
    nominal: float
    effective_actions: float
    likeliest: str
    likeliest_probability: float
    favoured: str | None
    cautions: list[str]
    lines: list[str]


class Verified(Answer):
    """What a full check found sound."""

    events: int
    rounds: int
    exact: int
    largest_difference: float
    head: str
    state_hash: str


class Replayed(Answer):
    """The state that the first events amount to."""

    events: int
    asked: int
    told: int
    state_hash: str
    strategy: list[float]


class ErrorBody(Answer):
    """What was refused, and why in one sentence."""

    kind: str
    message: str
    recorded: dict[str, Any] | None
    given: dict[str, Any] | None


class ErrorOut(Answer):
    """The form of every refusal."""

    error: ErrorBody

"""Requests and responses of the API as pydantic models, which make the OpenAPI document.

Requests are strict: `true` is not a number, NaN is rejected, and so is an unknown field. Records of the library that
need no other form, such as rounds, are returned as they are.
"""

from dataclasses import fields
from typing import Annotated, Any, Literal, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, create_model

from firstmover.core.documents import one_of
from firstmover.matches import Health, MatchRound
from firstmover.matches.certificate import MatchCertificate
from firstmover.matches.column_words import Role as ColumnUse
from firstmover.matches.config import ResponseSpec
from firstmover.matches.explanation import Explanation
from firstmover.matches.match_list import ListedMatch
from firstmover.matches.outcome_check import OutcomeCheck
from firstmover.matches.round_log import RoundEvent
from firstmover.matches.schedule import DueRound, Schedule
from firstmover.matches.what_if import WhatIf
from firstmover.service.errors import ERRORS, MEDIA_TYPE
from firstmover.service.tokens import Role

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
Types = Annotated[dict[Text, TypeValue], Field(max_length=1000, examples=[{"demand": "high"}])]
ResponseValue = Annotated[Number | Text, one_of("a finite number or the name of a level")]
Responses = Annotated[dict[Text, ResponseValue], Field(min_length=1, max_length=1000, examples=[{"congestion": 3.2}])]

Cell = Annotated[Number | Text, one_of("a finite number or a short text")]
Levels = Annotated[
    Annotated[list[Text], Field(min_length=1, max_length=1000)]
    | Annotated[dict[Text, Number], Field(min_length=1, max_length=1000)],
    one_of("a list of names, or names with finite numbers"),
]

Played = Annotated[Text | Annotated[int, Field(ge=0, le=2**53)], one_of("a label or an index of the menu")]
"""An action."""


def example(**fields: Any) -> ConfigDict:
    """For the OpenAPI document: one example of a whole model."""
    return ConfigDict(json_schema_extra={"examples": [fields]})


OBSERVED = {"opponent_type": {"demand": "high"}, "response": {"congestion": 3.2}}


class Request(BaseModel):
    """The body of a call."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class NewMatch(Request):
    """The configuration of a match, as an object or as the TOML of a template; one of the two."""

    model_config = example(config={"menu": {"game": "shore"}, "horizon": 100})

    config: dict[str, Any] | None = Field(default=None, examples=[{"menu": {"game": "shore"}, "horizon": 100}])
    toml: Annotated[str, Field(max_length=1 << 20)] | None = None


class NewName(Request):
    """Another name of a match."""

    model_config = example(name="roads of 2026")

    name: Annotated[str, Field(max_length=200)]


class Archived(Request):
    """Whether a match has ended."""

    model_config = example(archived=True)

    archived: bool


class NewSchedule(Request):
    """When rounds are due: times, perhaps days of the week and a time zone; null for no schedule."""

    model_config = example(schedule={"times": ["07:00"], "days": ["mon", "tue"], "zone": "Europe/Zurich"})

    schedule: dict[str, Any] | None


class Asked(Request):
    """What is known before the action: the context, and the actions that are allowed, or those that are not."""

    model_config = example(without=["north"])

    context: Types | None = None
    allowed: Annotated[list[Played], Field(max_length=100_000)] | None = None
    without: Annotated[list[Played], Field(max_length=100_000)] | None = None


class Supposed(Request):
    """An action that might be played, and the context in which it would be."""

    model_config = example(action="north")

    action: Played
    context: Types | None = None


class Outcome(Request):
    """The observation of a round: the type without its context; a commitment has none, as its mixture is the type."""

    model_config = example(**OBSERVED)

    opponent_type: Types = Field(default_factory=dict)
    response: Responses
    played: Played | None = Field(default=None, description="The action that was played instead of the advised one.")
    reason: Reason | None = None


class Void(Request):
    """Why nothing will be observed in a round."""

    model_config = example(reason="the counter was broken")

    reason: Reason


class Correction(Request):
    """Other values of a round; without values, that nothing was observed."""

    model_config = example(**OBSERVED, reason="misread")

    opponent_type: Types | None = None
    response: Responses | None = None
    played: Played | None = None
    reason: Reason


class Observation(Request):
    """What happened when an action was played that nobody had asked for."""

    model_config = example(action="north", **OBSERVED)

    action: Played
    opponent_type: Types = Field(default_factory=dict)
    response: Responses
    reason: Reason | None = None


class HistoryRow(Request):
    """An observation made outside of the match: the action by label, index or features, the type and the response.

    Nothing is learnt from a row whose type is null. Rows with the same `id` are the same observation.
    """

    action: Played = ""
    features: Annotated[dict[Text, Number], Field(max_length=1000)] | None = None
    type: Types | None
    response: Responses
    when: Text | None = None
    id: Text | None = None


class History(Request):
    """Observations that update the belief, never the strategy: rows, the text of a CSV file, or records; one of them.

    Records are rows by the names of their columns, or the events of an exported journal. `columns` has the column of
    each value, such as {"action": "Preis"}; `decimal` is a comma or a point.
    """

    model_config = example(
        rows=[{"action": "north", "type": {"demand": "low"}, "response": {"congestion": 2.5}}], source="last year"
    )

    rows: list[HistoryRow] | None = Field(default=None, min_length=1, max_length=100_000)
    csv: Annotated[str, Field(max_length=8 << 20)] | None = None
    records: Annotated[list[dict[str, Any]], Field(min_length=1, max_length=100_000)] | None = None
    columns: Annotated[dict[Text, Text], Field(max_length=1000)] | None = None
    decimal: Literal[",", "."] | None = None
    source: Text = ""
    again: bool = False


class AddedActions(Request):
    """Actions to append to the menu, each a row with the columns of the menu."""

    model_config = example(rows=[{"label": "wide", "north": 8.0, "south": 8.0, "units": 16.0}], reason="a new road")

    rows: Annotated[list[Annotated[dict[Text, Cell], Field(max_length=1000)]], Field(min_length=1, max_length=100_000)]
    reason: Reason | None = None


class Retired(Request):
    """Whether an action is taken out of all rounds to come."""

    model_config = example(action="north", retired=True, reason="closed until spring")

    action: Played
    retired: bool
    reason: Reason | None = None


class NewReward(Request):
    """The reward as the table `reward` of a configuration defines it, without a function."""

    model_config = example(reward={"value": "units", "responses": {"congestion": -3.0}}, reason="a new contract")

    reward: dict[str, Any]
    reason: Reason | None = None


class AddedLevels(Request):
    """Levels to append to a type: names, or names with numbers where its levels have numbers."""

    model_config = example(type="demand", levels={"holiday": 2.0}, reason="the first holiday")

    type: Text
    levels: Levels
    reason: Reason | None = None


Csv = Annotated[str, Field(min_length=1, max_length=8 << 20, examples=["price,sold\n1.0,20\n1.2,17\n1.1,18\n"])]


class SpreadSheet(Request):
    """A table of the past as CSV, and what the caller knows better: roles, reward, the series that rows are of."""

    model_config = example(csv="price,sold\n1.0,20\n1.2,17\n1.1,18\n1.0,21\n", source="sales.csv")

    csv: Csv
    source: Text = "table"
    roles: Annotated[dict[Text, ColumnUse], Field(max_length=1000)] = Field(default_factory=dict)
    reward: Annotated[str, Field(max_length=500)] | None = None
    decimal: Literal[",", "."] | None = None
    where: Annotated[dict[Text, Text], Field(max_length=20)] = Field(default_factory=dict)


class ColumnRole(BaseModel):
    """A column: its role with the reason, its kind, and some of its different values."""

    name: str
    role: ColumnUse
    reason: str
    unit: str
    kind: str
    examples: list[str]
    different: int


class Series(BaseModel):
    """A column by whose values a table holds several series."""

    column: str
    values: list[str]


class Proposed(BaseModel):
    """A proposal: what each column is, the configuration, and the rows to import; or the series to choose from."""

    sentence: str
    series: Series | None = None
    columns: list[ColumnRole] = Field(default_factory=list)
    lines: list[str] = Field(default_factory=list)
    reward: str = ""
    config: dict[str, Any] | None = None
    toml: str = ""
    csv: str = ""
    rehearsable: bool = False


class NewRehearsal(Request):
    """A configuration and the table of the past that opponents are fitted to."""

    model_config = example(
        config={"menu": {"game": "prices"}}, csv="action,type,response\n", source="sales.csv", seasons=20, rounds=52
    )

    config: dict[str, Any]
    csv: Csv
    source: Text = "table"
    seasons: Annotated[int, Field(ge=2, le=200)] = 20
    rounds: Annotated[int, Field(ge=1, le=500)] = 52


class RehearsalState(BaseModel):
    """A rehearsal: how far it is, and in the end its sentences and the gain per round over what is done now."""

    id: str
    status: Literal["running", "done", "failed", "cancelled"]
    done: int
    total: int
    lines: list[str]
    gain: float | None
    error: str


class MatchList(BaseModel):
    """Matches of the store, from `offset` on, and the role of the caller."""

    role: Role
    matches: list[ListedMatch]
    total: int


class Session(BaseModel):
    """The role and the name of a token."""

    role: Role
    name: str


class NewToken(Request):
    """A token for somebody of the team; without `days` it never expires."""

    model_config = example(role="operator", label="night shift", days=30.0)

    role: Role
    label: Annotated[str, Field(max_length=80)] = ""
    days: Annotated[float, Field(ge=1, le=36_500, allow_inf_nan=False)] | None = None


class TokenRow(BaseModel):
    """A token without its secret."""

    id: str
    role: Role
    label: str
    created: str
    expires: str | None


class IssuedToken(TokenRow):
    """A new token with its secret, which is stored nowhere."""

    token: str


class TokenList(BaseModel):
    """Tokens, from `offset` on."""

    tokens: list[TokenRow]
    total: int


class ScheduleState(BaseModel):
    """The schedule of a match, and when the next round is due; null if there is none."""

    schedule: Schedule | None
    due: DueRound | None


class NamedType(BaseModel):
    """A known property of an opponent: one of some levels, a number, or all numbers of a vector."""

    name: str
    unit: str
    levels: list[str] | None
    numbers: bool
    before: bool = Field(default=False, description="Whether it is known before the action, as part of the context.")
    about: tuple[str, ...] | None = Field(default=None, description="A description of each level, if the game has one.")


class Description(BaseModel):
    """A match: menu, types, responses, reward, and the whole configuration."""

    name: str
    kind: str
    title: str
    actions: int
    features: list[str]
    types: list[NamedType]
    responses: list[ResponseSpec]
    reward: str
    config: dict[str, Any]
    role: Role
    demo: bool


class PolicyQuestion(Request):
    """Policies: actions by label, `played`, `present` or `uniform`; learners by name; another reward, as a sentence."""

    model_config = example(policies=["played", "north"])

    policies: Annotated[list[Text], Field(min_length=1, max_length=1000, examples=[["played", "north"]])]
    learners: Annotated[list[Text], Field(max_length=3, examples=[[]])] = Field(default_factory=list)
    reward: Annotated[Text | None, Field(examples=["units - 3 * congestion"])] = None
    seed: Annotated[int, Field(ge=0, le=2**31)] = 0


class PolicyEstimate(BaseModel):
    """The value of a policy per round with its 95 % band, and estimates by propensities with standard errors."""

    policy: str
    value: float
    lower: float
    upper: float
    inverse_propensity: float | None
    inverse_propensity_error: float | None
    self_normalised: float | None
    self_normalised_error: float | None
    doubly_robust: float | None
    doubly_robust_error: float | None
    effective_sample_size: float | None
    uncovered: float | None
    warning: str


class PolicyEstimates(BaseModel):
    """The values of policies in the told rounds, and what these earned."""

    rounds: int
    propensities: int
    earned: float
    policies: list[PolicyEstimate]
    lines: list[str]


class MenuRow(BaseModel):
    """An action."""

    action: int
    label: str
    features: dict[str, float]
    columns: dict[str, float] = Field(description="All numbers of the action, those that are no features too.")
    retired: bool = Field(description="Whether the action is taken out of all rounds to come.")


class MenuRows(BaseModel):
    """Actions of the menu, from `offset` on."""

    rows: list[MenuRow]
    total: int


class LoggedChange(BaseModel):
    """A change of the menu, the reward or a type, in `words`, with the number, time and actor of its event."""

    sequence: int
    clock: str
    actor: str | None
    words: str
    reason: str | None


class ChangeList(BaseModel):
    """The changes of a match, the first one first, from `offset` on."""

    changes: list[LoggedChange]
    total: int


class TemplateText(BaseModel):
    """A template: its line for people, and the commented configuration, which is valid as it is."""

    name: str
    about: str
    toml: str


class TemplateList(BaseModel):
    """Configurations to begin with, from `offset` on."""

    templates: list[TemplateText]
    total: int


class ActionOfRound(BaseModel):
    """The action of a round; `strategy` is p_t, on request, `commitment` the mixture to commit to by label, if any."""

    model_config = example(
        round_id="monday", action=1, label="north", features={"north": 10.0}, probability=0.25, strategy=None
    )

    round_id: str
    action: int
    label: str
    features: dict[str, float]
    probability: float
    strategy: list[float] | None = None
    commitment: dict[str, float] | None = None


def _model(name: str, description: str, /, **kinds: Any) -> type[BaseModel]:
    """Return a model with fields of these kinds, all required."""
    fields: dict[str, Any] = {field: (kind, ...) for field, kind in kinds.items()}
    return create_model(name, __doc__=description, **fields)


Why = _model("Why", "Why an action was advised.", **get_type_hints(Explanation), lines=list[str])
Expected = _model("Expected", "What is expected if an action is played.", **get_type_hints(WhatIf), lines=list[str])
Checked = _model("Checked", "An outcome beside its forecast.", **get_type_hints(OutcomeCheck), questions=list[str])
Round = _model(
    "Round",
    "A round; action, label and probability are null while they are hidden from readers.",
    opponent_type=dict[str, Any] | None,
    response=dict[str, float | str] | None,
    **{name: kind for name, kind in get_type_hints(MatchRound).items() if name not in ("recorded", "committed")},
)
Recorded = _model("Recorded", "Whether something new was recorded, and the round after it.", new=bool, round=Round)
RoundList = _model("RoundList", "Rounds, and how many there are in all.", rounds=list[Round], total=int)  # type: ignore[valid-type]
LoggedEvent = _model(
    "LoggedEvent",
    "An event of a round; `role` is that of the tokens which have the name of the actor now, null if there are none.",
    **get_type_hints(RoundEvent),
    role=Role | None,
)
LoggedRound = _model("LoggedRound", "A round, and who did what and why.", round=Round, log=list[LoggedEvent])  # type: ignore[valid-type]
RoundLog = _model("RoundLog", "The events of a round, the first one first.", log=list[LoggedEvent])  # type: ignore[valid-type]
LoggedRounds = _model("LoggedRounds", "Rounds, and how many there are in all.", rows=list[LoggedRound], total=int)  # type: ignore[valid-type]
Status = _model(
    "Status",
    "The status of a match in figures and, in `lines`, in sentences.",
    lines=list[str],
    **{field.name: field.type for field in fields(Health)},
)
Loss = _model(
    "Loss",
    "At most how much the told rounds lost against the best fixed action, also in sentences.",
    lines=list[str],
    **{field.name: field.type for field in fields(MatchCertificate)},
)


class New(BaseModel):
    """Whether something new was recorded."""

    new: bool


class Replayed(BaseModel):
    """The state after the first events."""

    events: int
    asked: int
    told: int
    state_hash: str
    strategy: list[float]


class Problem(BaseModel):
    """Problem details (RFC 9457), the form of every error; `detail` is one sentence with a remedy.

    `pointer` is a JSON pointer to the member of the body that is wrong; `recorded` and `given` are those of a conflict.
    """

    model_config = example(
        type="urn:firstmover:problem:conflict",
        title="A conflict with what is recorded",
        status=409,
        detail="round 'monday' was told demand=high, congestion=3.2, and now …: nothing was changed; …",
        request_id="0b6f4f3c9d1e4f0a8a52c1f7e2d9b3a4",
        recorded=OBSERVED,
        given=OBSERVED | {"response": {"congestion": 13.2}},
    )

    type: str
    title: str
    status: int
    detail: str
    request_id: str | None
    pointer: str | None = None
    recorded: dict[str, Any] | None = None
    given: dict[str, Any] | None = None


Documented = dict[int | str, dict[str, Any]]
"""For the OpenAPI document: responses by status."""


def errors(*codes: int) -> Documented:
    """Return the errors of some statuses."""
    schema = {"schema": {"$ref": "#/components/schemas/Problem"}}
    return {code: {"description": ERRORS[code][1], "content": {MEDIA_TYPE: schema}} for code in codes}


EVERY_CALL, WITH_BODY = errors(401, 403, 404, 422, 500, 503), errors(408, 413, 415)
"""The errors of every call, and further ones of calls that have a body."""


def links(*calls: str, **parameters: str) -> dict[str, Any]:
    """For the OpenAPI document: calls that may follow, and what they take from this one."""
    named = {"match": "$request.path.match", **parameters}
    return {call: {"operationId": call, "parameters": named} for call in calls}

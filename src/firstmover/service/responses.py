"""What the service gives, as models: the OpenAPI is made of them."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from firstmover.service.requests import TOLD, example


class Answer(BaseModel):
    """What the service gives."""

    model_config = ConfigDict(frozen=True)


class ListedMatch(Answer):
    """One match of the store."""

    name: str
    kind: str
    asked: int
    told: int
    pending: list[str]
    void: int


class MatchList(Answer):
    """All matches of the store, and what the caller may do with them."""

    role: Literal["owner", "reader"]
    matches: list[ListedMatch]


class NamedType(Answer):
    """One thing that is known of an opponent: one of some levels, a number, or all numbers of a vector."""

    name: str
    unit: str
    levels: list[str] | None
    numbers: bool
    about: list[str] | None = Field(default=None, description="What each level stands for, where that is known.")


class NamedResponse(Answer):
    """One number that is observed: its unit and where it can lie."""

    name: str
    unit: str
    lower: float | None
    upper: float | None


class SettingOut(Answer):
    """What a match is about."""

    name: str
    kind: str
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

    model_config = example(
        round_id="monday", action=1, label="north", features={"north": 10.0}, probability=0.25, strategy=None
    )

    round_id: str
    action: int
    label: str
    features: dict[str, float]
    probability: float
    strategy: list[float] | None = None


class RoundOut(Answer):
    """One round; action, label and probability are null where they are not yet revealed."""

    round_id: str
    number: int
    asked: int
    closed: int
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

    model_config = example(
        error={
            "kind": "conflict",
            "message": "round 'monday' was told demand=high, congestion=3.2, and now …: nothing was changed; …",
            "recorded": TOLD,
            "given": TOLD | {"response": {"congestion": 13.2}},
        }
    )

    error: ErrorBody

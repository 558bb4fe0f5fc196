"""Routes of the records that the web app draws: today, map and learning of a match; stored runs."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal

from anyio.to_thread import run_sync
from fastapi import APIRouter, Depends, Query, Response
from fastapi import Path as InPath
from pydantic import BaseModel, create_model

from firstmover.figures.compare import StoredRun, compared_table, curves_record, stored_runs
from firstmover.figures.curves import Curves
from firstmover.figures.live import LearningCurves, Trace, map_of
from firstmover.figures.live.before_after import BeforeAfter, before_after
from firstmover.figures.live.earnings import Earnings, earnings
from firstmover.figures.live.report import Report, match_report
from firstmover.games.map_record import MapRecord, short
from firstmover.matches import Match
from firstmover.matches.formula_cells import csv_bytes
from firstmover.service.dependencies import Caller, Flag, Limit, Live, Matches, Offset, Pictures, Runs, plays
from firstmover.service.errors import NotFound
from firstmover.service.home import Home, home
from firstmover.service.models import Documented, Round, example
from firstmover.service.picture_cache import as_json, learning_record, map_record
from firstmover.service.record_models import record_model
from firstmover.service.today import DecisionCard, today

router = APIRouter()

Card = create_model("DecisionCard", __base__=record_model(DecisionCard), last=(Round | None, ...))  # type: ignore[arg-type]
RunCurves = create_model("RunCurves", __base__=record_model(Curves), plot=(str, ...))


def documented(model: type[BaseModel]) -> dict[str, Any]:
    """The arguments of a route whose record is serialised already."""
    return {"response_class": Response, "responses": {200: {"model": model, "description": "The record."}}}


class RunList(BaseModel):
    """Stored runs, from `offset` on."""

    runs: list[record_model(StoredRun)]  # type: ignore[valid-type]
    total: int


class RunTable(BaseModel):
    """One row per learner, by the names of the columns."""

    rows: list[dict[str, Any]]


class Surprises(BaseModel):
    """By round and response, the values that lay far outside of their bands, each beside what was expected."""

    model_config = example(rounds={"monday": {"sold": "99, 24 to 35 was expected"}})

    rounds: dict[str, dict[str, str]]


NO_MAP = MapRecord("Map", (), partial=True)
"""The map of a match whose posterior is being computed."""

TABLE: Documented = {200: {"model": RunTable, "content": {"text/csv": {}}, "description": "One row per learner."}}
Brief = Annotated[Flag, Query(description="Answer at once, without what needs the fitted model.")]

Option = Annotated[str | None, Query(max_length=200, description="What a map with such a choice shows.")]


def _json(content: bytes) -> Response:
    return Response(content, media_type="application/json")


@router.get("/views/home", tags=["views"], response_model=record_model(Home))
async def show_home(
    matches: Matches, pictures: Pictures, archived: Flag = False, offset: Offset = 0, limit: Limit = 100
) -> dict[str, object]:
    """Every match with what waits, what it earned, and its alarms; the same for all roles."""
    return await home(matches, pictures, archived=archived, offset=offset, limit=limit)


@router.get("/matches/{match}/views/today", tags=["views"], response_model=Card)
async def show_today(
    live: Live,
    caller: Caller,
    wanted: Annotated[str | None, Query(alias="round", max_length=80)] = None,
    brief: Brief = False,
) -> DecisionCard:
    """The action, why, what is expected, and the status of the match."""
    return await live.run(lambda match: today(match.state(), reveal=plays(caller), wanted=wanted, brief=brief))


@router.get("/matches/{match}/views/earnings", tags=["views"], **documented(record_model(Earnings)))
async def show_earnings(live: Live, pictures: Pictures, brief: Brief = False) -> Response:
    """What the told rounds earned, against a baseline, the past and what was expected; the same for all roles."""
    if brief and not pictures.follows(live.name):
        return _json(await live.run(lambda match: as_json(earnings(match.state()))))
    return _json(await run_sync(pictures.record, live.name, "earnings", lambda trace, _: earnings(trace)))


@router.get("/matches/{match}/views/map", tags=["views"], **documented(record_model(MapRecord)))
async def show_map(
    live: Live,
    caller: Caller,
    pictures: Pictures,
    *,
    brief: Brief = False,
    response: Option = None,
    feature: Option = None,
) -> Response:
    """The map with the pending round, or, for readers, with the last reported one; `partial` if there is more."""
    wanted = {"response": response, "feature": feature}
    chosen = {name: option for name, option in wanted.items() if option is not None}

    def without_model(match: Match) -> bytes:
        record = map_of(match.state(), reveal=plays(caller), chosen=chosen)
        return as_json(NO_MAP if record is None else record)

    if brief and not pictures.follows(live.name):
        return _json(await live.run(without_model))
    return _json(await run_sync(pictures.record, live.name, *map_record(plays=plays(caller), chosen=chosen)))


@router.get("/matches/{match}/views/learning", tags=["views"], **documented(record_model(LearningCurves)))
async def show_learning(live: Live, pictures: Pictures) -> Response:
    """Curves over the told rounds, at most 500 points each; the same for owners and readers."""
    return _json(await run_sync(pictures.record, live.name, "learning", learning_record))


@router.get("/matches/{match}/views/report", tags=["views"], **documented(record_model(Report)))
async def show_report(live: Live, pictures: Pictures) -> Response:
    """The match on one page: earnings, what was learnt, alarms, and a hash for audits; the same for all roles."""
    return _json(await run_sync(pictures.record, live.name, "report", lambda trace, _: match_report(trace)))


@router.get("/matches/{match}/views/before-after", tags=["views"], **documented(record_model(BeforeAfter)))
async def show_before_after(
    live: Live,
    pictures: Pictures,
    event: Annotated[int | None, Query(ge=1, le=2**31)] = None,
    wanted: Annotated[str | None, Query(alias="round", max_length=80)] = None,
    date: Annotated[str | None, Query(max_length=40)] = None,
) -> Response:
    """Rewards before and from an event, a round or a date on: one of the three; the same for all roles."""

    def build(trace: Trace, _: object) -> BeforeAfter:
        return before_after(trace, event=event, round_id=wanted, date=date)

    return _json(await run_sync(pictures.record, live.name, f"before-after, {event}, {wanted!r}, {date!r}", build))


@router.get("/matches/{match}/views/surprises", tags=["views"], **documented(Surprises))
async def show_surprises(live: Live, pictures: Pictures) -> Response:
    """The told responses that lay far outside of what was expected of them; the same for all roles."""
    return _json(await run_sync(pictures.record, live.name, "surprises", surprises))


def surprises(trace: Trace, _: object) -> dict[str, Any]:
    """Return the marks of surprising responses by round, the round told last first."""
    marks = {
        round_id: {each.name: f"{short(each.value)}, {each.expectation()}" for each in values}
        for round_id, values in reversed(trace.surprises.items())
    }
    return {"rounds": marks}


async def _run(run: Annotated[str, InPath(min_length=1, max_length=255, examples=["shore"])], runs: Runs) -> Path:
    """The folder of a stored run, which must be one of those that are listed."""
    if run not in {each.name for each in await run_sync(stored_runs, runs)}:
        raise NotFound(f"run {run!r} is not among the stored ones: GET /v1/runs lists them.")
    return runs / run


Run = Annotated[Path, Depends(_run)]


async def _made(make: Callable[[], Any]) -> Response:
    return _json(await run_sync(lambda: as_json(make())))


@router.get("/runs", tags=["runs"], **documented(RunList))
async def list_runs(runs: Runs, offset: Offset = 0, limit: Limit = 100) -> Response:
    """The experiments and arenas of sweeps that can be compared."""

    def page() -> dict[str, Any]:
        found = stored_runs(runs)
        return {"runs": found[offset : offset + limit], "total": len(found)}

    return await _made(page)


@router.get("/runs/{run}/curves", tags=["runs"], **documented(RunCurves))
async def show_curves(
    folder: Run, plot: Annotated[Literal["regret", "rewards", "entropy"], Query()] = "regret"
) -> Response:
    """Means over seeds with 95 % half-widths, one curve per learner, at most 500 rounds."""
    return await _made(lambda: curves_record(folder, plot))


@router.get("/runs/{run}/table", tags=["runs"], response_class=Response, responses=TABLE)
async def show_table(folder: Run, format: Annotated[Literal["json", "csv"], Query()] = "json") -> Response:
    """Regret and reward of each learner, with 95 % half-widths."""
    if format == "json":
        return await _made(lambda: {"rows": compared_table(folder).to_dicts()})
    headers = {"content-disposition": 'attachment; filename="table.csv"'}
    return Response(await run_sync(lambda: csv_bytes(compared_table(folder))), media_type="text/csv", headers=headers)

"""Routes of the records that the web app draws: today, map and learning of a match; stored runs."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal

from anyio.to_thread import run_sync
from fastapi import APIRouter, Depends, Query, Response
from fastapi import Path as InPath

from firstmover.figures.compare import compared_table, curves_record, stored_runs
from firstmover.figures.live import map_of
from firstmover.matches import Match
from firstmover.matches.formula_cells import csv_bytes
from firstmover.service.dependencies import Caller, Flag, Live, Pictures, Runs
from firstmover.service.errors import NotFound
from firstmover.service.models import Documented
from firstmover.service.picture_cache import as_json, learning_record, map_record
from firstmover.service.today import today

router = APIRouter()
JSON = {"application/json": {"schema": {"type": "object"}}}
RECORD: dict[str, Any] = {
    "response_class": Response,
    "responses": {200: {"content": JSON, "description": "the record of the view"}},
}
TABLE: Documented = {200: {"content": {"application/json": {}, "text/csv": {}}, "description": "one row per learner"}}
Brief = Annotated[Flag, Query(description="Answer at once, without what needs the fitted model.")]


def _json(content: bytes) -> Response:
    return Response(content, media_type="application/json")


@router.get("/matches/{match}/views/today", tags=["views"])
async def show_today(
    live: Live,
    caller: Caller,
    wanted: Annotated[str | None, Query(alias="round", max_length=80)] = None,
    brief: Brief = False,
) -> dict[str, Any]:
    """The action, its forecast, and the status of the match."""
    return await live.run(lambda match: today(match.state(), reveal=caller == "owner", wanted=wanted, brief=brief))


@router.get("/matches/{match}/views/map", tags=["views"], **RECORD)
async def show_map(live: Live, caller: Caller, pictures: Pictures, brief: Brief = False) -> Response:
    """The map with the pending round, or, for readers, with the last reported one; `partial` if there is more."""

    def without_model(match: Match) -> bytes:
        record = map_of(match.state(), reveal=caller == "owner")
        return as_json({"partial": True} if record is None else record)

    if brief and not pictures.follows(live.name):
        return _json(await live.run(without_model))
    return _json(await run_sync(pictures.record, live.name, *map_record(caller)))


@router.get("/matches/{match}/views/learning", tags=["views"], **RECORD)
async def show_learning(live: Live, pictures: Pictures) -> Response:
    """Curves over the told rounds, at most 500 points each; the same for owners and readers."""
    return _json(await run_sync(pictures.record, live.name, "learning", learning_record))


async def _run(run: Annotated[str, InPath(min_length=1, max_length=255, examples=["shore"])], runs: Runs) -> Path:
    """The folder of a stored run, which must be one of those that are listed."""
    if run not in {each.name for each in await run_sync(stored_runs, runs)}:
        raise NotFound(f"run {run!r} is not among the stored ones: GET /v1/runs lists them.")
    return runs / run


Run = Annotated[Path, Depends(_run)]


async def _made(make: Callable[[], Any]) -> Response:
    return _json(await run_sync(lambda: as_json(make())))


@router.get("/runs", tags=["runs"], **RECORD)
async def list_runs(runs: Runs) -> Response:
    """The experiments and arenas of sweeps that can be compared."""
    return await _made(lambda: {"runs": stored_runs(runs)})


@router.get("/runs/{run}/curves", tags=["runs"], **RECORD)
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

"""Stored runs: their list, curves and tables."""

import json
from pathlib import Path
from typing import Annotated, Any, Literal

import anyio.to_thread
from fastapi import APIRouter, Depends, Query, Response
from fastapi import Path as InPath

from firstmover.figures.compare import compared_table, curves_record, stored_runs
from firstmover.figures.live import plain
from firstmover.service.context import Runs
from firstmover.service.errors import NotFound
from firstmover.service.routes.answers import refusals
from firstmover.service.views.records import JSON

router = APIRouter(tags=["runs"])

FILE: dict[int | str, dict[str, Any]] = {
    200: {"content": {"application/json": {}, "text/csv": {}}, "description": "one row per learner"}
}


@router.get("/runs", response_class=Response, responses={**JSON, **refusals()})
async def list_runs(runs: Runs) -> Response:
    """The experiments and arenas of sweeps that can be compared."""
    return await _answer(lambda: {"runs": stored_runs(runs)})


def _run(run: Annotated[str, InPath(min_length=1, max_length=255, examples=["shore"])], runs: Runs) -> Path:
    """A folder or an arena by its name, which must be one of those that are listed."""
    if run not in {each.name for each in stored_runs(runs)}:
        raise NotFound(f"run {run!r} is not among the stored ones: GET /api/runs lists them.")
    return runs / run


Run = Annotated[Path, Depends(_run)]


@router.get("/runs/{run}/curves", response_class=Response, responses={**JSON, **refusals()})
async def show_curves(
    folder: Run, plot: Annotated[Literal["regret", "rewards", "entropy"], Query()] = "regret"
) -> Response:
    """Means over seeds with 95 % half-widths, one curve per learner, at most 500 rounds."""
    return await _answer(lambda: curves_record(folder, plot))


@router.get("/runs/{run}/table", response_class=Response, responses={**FILE, **refusals()})
async def show_table(folder: Run, format: Annotated[Literal["json", "csv"], Query()] = "json") -> Response:
    """Regret and reward of each learner, with 95 % half-widths."""
    if format == "json":
        return await _answer(lambda: {"rows": compared_table(folder).to_dicts()})
    content = await anyio.to_thread.run_sync(lambda: compared_table(folder).write_csv())
    headers = {"content-disposition": 'attachment; filename="table.csv"'}
    return Response(content, media_type="text/csv", headers=headers)


async def _answer(make: Any) -> Response:
    record = await anyio.to_thread.run_sync(lambda: plain(make()))
    return Response(json.dumps(record, allow_nan=False), media_type="application/json")

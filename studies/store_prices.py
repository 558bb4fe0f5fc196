"""Rehearse prices of a store's products on scanner data: `python -m studies.store_prices SALES.csv --out FOLDER`.

The table has the columns of the data set orangeJuice of the R package bayesm (Montgomery 1997): store, brand, week,
logmove, price1 to price11, deal, feat, and profit, the gross margin in percent. It is not part of this project.
"""

import json
import time
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import polars as pl
import typer

from firstmover.core.errors import InvalidInput
from firstmover.core.files import atomic_file
from firstmover.matches.proposal import propose_file
from firstmover.matches.rehearsal import rehearse

app = typer.Typer(add_completion=False)


def config_of(path: Path, brand: int) -> dict[str, Any]:
    """Return the proposed configuration, with the margin above the median cost of a unit as the reward."""
    table = pl.read_csv(path)
    cost = float(np.median(table[f"price{brand}"] * (1 - table["profit"] / 100)))
    return propose_file(path, reward=f"(price{brand} - {cost:.5f}) * exp(logmove)")[0].config()


def figures_of(path: Path, brand: int, seasons: int, model: str) -> dict[str, Any]:
    """Return the figures of one rehearsal, or why the model was refused, and the seconds of CPU."""
    start = time.process_time()
    try:
        figures = rehearse(config_of(path, brand), path, seasons=seasons, model=model).as_dict()
    except InvalidInput as error:
        figures = {"refused": str(error)}
    return figures | {"cpu": time.process_time() - start}


@app.command()
def study(  # noqa: PLR0917 - one parameter per option
    sales: Annotated[Path, typer.Argument(help="The table of sales.")],
    out: Annotated[Path, typer.Option(help="Folder for the figures of each store and brand.")],
    brand: Annotated[list[int], typer.Option(help="Brands; repeat it.")],
    store: Annotated[list[int] | None, typer.Option(help="Stores; all by default.")] = None,
    seasons: Annotated[int, typer.Option(help="Seasons of each rehearsal.")] = 100,
    model: Annotated[str, typer.Option(help="The model of demand.")] = "belief",
) -> None:
    """Rehearse each store and brand once; what is in the folder already is not played again."""
    table = pl.read_csv(sales)
    out.mkdir(parents=True, exist_ok=True)
    for number in store or sorted(table["store"].unique().to_list()):
        for each in brand:
            path, result = out / f"{number}-{each}.csv", out / f"{number}-{each}.json"
            if result.exists():
                continue
            rows = table.filter((pl.col("store") == number) & (pl.col("brand") == each)).sort("week")
            rows.write_csv(path)
            figures = figures_of(path, each, seasons, model)
            with atomic_file(result) as file:
                file.write(json.dumps({"store": number, "brand": each} | figures, indent=1).encode())
            typer.echo(f"store {number}, brand {each}: {_words(figures)}")
    typer.echo(summary([json.loads(path.read_text("utf-8")) for path in sorted(out.glob("*.json"))]))


def _words(figures: dict[str, Any]) -> str:
    if "refused" in figures:
        return str(figures["refused"])
    covered, early = figures["held_out"]["covered"][1][0], figures["with_floor_early"]["worse_after"]
    return (
        f"90 % bands held {covered:.0%}, {figures['share_of_oracle']:.1%} of the oracle, with a floor behind after 12 "
        f"rounds in {early['12']:.0%}, {figures['cpu']:.0f} s"
    )


def summary(results: list[dict[str, Any]]) -> str:
    """Return the figures of all rehearsals in lines."""
    played = [each for each in results if "refused" not in each]
    held = [each["held_out"]["covered"][1][0] for each in played]
    median = {
        "share of the oracle": np.median([each["share_of_oracle"] for each in played]),
        "share of the oracle, last quarter": np.median([each["share_of_oracle_late"] for each in played]),
        "gain over the present policy": np.median([each["match"]["gain"] for each in played]),
        "behind after 4 / 12 rounds": [
            np.median([each["match"]["worse_after"][h] for each in played]) for h in ("4", "12")
        ],
        "behind after 4 / 12 rounds with a floor": [
            np.median([each["with_floor_early"]["worse_after"][h] for each in played]) for h in ("4", "12")
        ],
        "cost of the floor": np.median([each["floor"]["cost"] for each in played]),
        "seconds of CPU": np.median([each["cpu"] for each in played]),
    }
    good = sum(0.85 <= share <= 0.95 for share in held)
    lines = [f"{len(results)} rehearsals, {len(results) - len(played)} refused."]
    lines.append(f"90 % bands held 85 to 95 % of the held-out weeks in {good} of {len(played)}.")
    return "\n".join(lines + [f"median {name}: {np.round(value, 4)}" for name, value in median.items()])


if __name__ == "__main__":
    app()

"""Make the tables of this folder: a kiosk's prices and sales, plans and road counts, patrols, and two shops."""

import csv
import datetime
from collections.abc import Sequence
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).parent
DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


def write(name: str, header: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Write one table."""
    with (FOLDER / name).open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *rows])


def kiosk(rng: np.random.Generator) -> None:
    """Half a year of ice cream: a price each day, the weekday, the temperature at noon, and the pieces sold."""
    rows = []
    for number in range(180):
        day = datetime.date(2025, 4, 1) + datetime.timedelta(days=number)
        warm = 18 + 8 * np.sin(np.pi * number / 180) + rng.normal(0, 3)
        price = rng.choice([2.0, 2.2, 2.4, 2.6, 2.8, 3.0], p=[0.1, 0.25, 0.3, 0.2, 0.1, 0.05])
        weekend = day.weekday() >= 5
        mean = (40 + 3.5 * (warm - 15)) * (1.6 if weekend else 1.0) * np.exp(-(0.5 if weekend else 0.9) * (price - 2.4))
        rows.append([day, f"{price:.2f}", DAYS[day.weekday()], round(warm, 1), max(0, round(rng.normal(mean, 6)))])
    write("kiosk.csv", ["date", "price", "weekday", "temperature (°C)", "sold"], rows)


def roads(rng: np.random.Generator) -> None:
    """A hundred days of plans for a fleet: vehicles sent by two roads, the demand, and the delay in minutes."""
    plans = {"all north": (60, 0), "all south": (0, 60), "half each": (30, 30), "few": (20, 10)}
    rows = []
    for number in range(100):
        day = datetime.date(2025, 1, 6) + datetime.timedelta(days=number)
        plan, demand = str(rng.choice(list(plans))), str(rng.choice(["low", "high"], p=[0.7, 0.3]))
        north, south = plans[plan]
        load = 40 if demand == "low" else 80
        delay = 3 * ((north + load) / 100) ** 4 + 4 * ((south + load) / 120) ** 4 + abs(rng.normal(0, 0.3))
        rows.append([day, plan, north, south, north + south, demand, f"{delay:.2f}"])
    write("roads.csv", ["day", "plan", "north", "south", "vehicles", "traffic", "delay (min)"], rows)


def patrols(rng: np.random.Generator) -> None:
    """Two years of weekly patrols: the sector, the moon, the season, and the snares that were found afterwards."""
    rows = []
    for week in range(1, 105):
        sector = str(rng.choice(["river", "hills", "plain"]))
        moon = ("new", "half", "full", "half")[week % 4]
        season = "dry" if week % 52 < 26 else "wet"
        mean = {"river": 3, "hills": 5, "plain": 6}[sector] * (1.5 if moon == "new" else 1.0) + (season == "dry")
        rows.append([week, sector, moon, season, rng.poisson(mean)])
    write("patrols.csv", ["week", "patrol", "moon", "season", "snares"], rows)


def reports(rng: np.random.Generator) -> None:
    """Reports of 150 days: the sector that was patrolled, the rain forecast, and what the rangers found there."""
    found = ("nothing", "snares", "poachers")
    rows = []
    for number in range(150):
        day = datetime.date(2025, 1, 1) + datetime.timedelta(days=number)
        sector, rain = str(rng.choice(["river", "hills", "plain"])), str(rng.choice(["dry", "wet"]))
        shares = {"river": (0.6, 0.35, 0.05), "hills": (0.5, 0.2, 0.3), "plain": (0.8, 0.15, 0.05)}[sector]
        rows.append([day, sector, rain, rng.choice(found, p=shares if rain == "dry" else (0.8, 0.15, 0.05))])
    write("reports.csv", ["date", "patrol", "rain forecast", "found"], rows)


def shops(rng: np.random.Generator) -> None:
    """A year of weeks in two shops, each with two products: price, promotion, units sold and margin in percent."""
    rows = []
    for week in range(1, 53):
        for shop, product in ((1, "tea"), (1, "coffee"), (2, "tea"), (2, "coffee")):
            cost = {"tea": 1.8, "coffee": 3.0}[product]
            price = round(cost * rng.choice([1.3, 1.5, 1.7]), 2)
            promotion = rng.choice(["no", "yes"], p=[0.8, 0.2])
            mean = 60 * shop * np.exp(-1.2 * (price / cost - 1)) * (1.4 if promotion == "yes" else 1.0)
            margin = round(100 * (1 - cost * rng.normal(1, 0.02) / price), 1)
            rows.append([shop, product, week, f"{price:.2f}", promotion, rng.poisson(mean), margin])
    write("shops.csv", ["shop", "product", "week", "price (EUR)", "promotion", "units", "margin (%)"], rows)


if __name__ == "__main__":
    stream = np.random.default_rng(2025)
    kiosk(stream)
    roads(stream)
    patrols(stream)
    reports(stream)
    shops(stream)

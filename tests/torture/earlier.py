"""Stores that earlier versions of firstmover wrote, kept as SQL."""

import sqlite3
from contextlib import closing
from pathlib import Path

import psycopg

STORES = Path(__file__).parent / "stores"
TABLES = ("firstmover_schema", "firstmover_matches", "firstmover_events")


def earlier_store(name: str, url: Path | str) -> None:
    """Write a kept store to a file, or to an empty database of PostgreSQL."""
    on_server = str(url).startswith("postgresql")
    with closing(sqlite3.connect(":memory:" if on_server else url)) as store:
        store.executescript((STORES / f"{name}.sql").read_text())
        if on_server:
            _copy(store, str(url))


def _copy(store: sqlite3.Connection, url: str) -> None:
    with psycopg.connect(url) as server, server.cursor() as cursor:
        for table in TABLES:
            [(statement,)] = store.execute("SELECT sql FROM sqlite_master WHERE name = ?", (table,))
            cursor.execute(statement)
            rows = store.execute(f"SELECT * FROM {table}").fetchall()
            cursor.executemany(f"INSERT INTO {table} VALUES ({', '.join(['%s'] * len(rows[0]))})", rows)


def dump(path: Path) -> list[str]:
    """The whole content of a SQLite file."""
    with closing(sqlite3.connect(path)) as store:
        return list(store.iterdump())

"""Stored runs as arrays, from which figures, tables and claims are computed."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from firstmover.core.errors import InvalidInput, look_up
from firstmover.core.records import Matrix, Vector
from firstmover.paper.experiments import EXPERIMENTS
from firstmover.runs.store import Manifest, read, read_manifest

COLUMNS = ("learner", "seed", "t", "action", "reward", "time_averaged_regret")
"""The columns that most figures and tables need; demands are long, and are read where they are needed."""


@dataclass(frozen=True)
class Results:
    """The manifest of a folder of results and the rounds of its runs."""

    manifest: Manifest
    table: pl.DataFrame

    @classmethod
    def read(cls, folder: Path, kind: str, columns: Sequence[str] = COLUMNS) -> "Results":
        """Read a folder, which must hold results of this kind."""
        manifest = read_manifest(folder)
        if manifest.kind != kind:
            raise InvalidInput(
                f"Folder {str(folder)!r} holds results of kind {manifest.kind!r}: give one of kind {kind!r}."
            )
        return cls(manifest, read(folder, columns))

    @property
    def preset(self) -> Any:
        """The preset that was played."""
        return look_up("experiment", self.manifest.kind, EXPERIMENTS).preset.restored(self.manifest.spec)

    @property
    def seeds(self) -> int:
        """The number of runs of each learner."""
        return len(self.manifest.seeds)

    def rounds_of(self, label: str, column: str) -> Matrix:
        """Return a column of a learner's runs (seeds, T)."""
        values = self.table.filter(pl.col("learner") == label)[column].to_numpy()
        return values.reshape(self.seeds, self.manifest.rounds)

    def totals(self, label: str) -> Vector:
        """Return the sum of rewards of each run."""
        return np.asarray(self.rounds_of(label, "reward").sum(axis=1))

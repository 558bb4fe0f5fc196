"""Stored runs as arrays: what figures, tables and claims are computed from."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from firstmover.errors import InvalidInput, look_up
from firstmover.experiments.reproduce import EXPERIMENTS
from firstmover.experiments.store import Manifest, read, read_manifest
from firstmover.records import Matrix, Vector

COLUMNS = ("learner", "seed", "t", "action", "reward", "time_averaged_regret")
"""What most figures and tables need; demands are long, and read where they are needed."""


@dataclass(frozen=True)
class Results:
    """A folder of results: what was played, and its rounds."""

    manifest: Manifest
    table: pl.DataFrame

    @classmethod
    def read(cls, folder: Path, kind: str, columns: Sequence[str] = COLUMNS) -> "Results":
        """The results of a folder, which must hold this experiment of the paper."""
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

    def rounds_of(self, label: str, column: str) -> Matrix:
        """A column of a learner's runs (seeds, T)."""
        values = self.table.filter(pl.col("learner") == label)[column].to_numpy()
        return values.reshape(len(self.manifest.seeds), self.manifest.rounds)

    def totals(self, label: str) -> Vector:
        """The sum of rewards of each run."""
        return np.asarray(self.rounds_of(label, "reward").sum(axis=1))

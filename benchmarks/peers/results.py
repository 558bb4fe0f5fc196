"""What was measured, as values that are written to JSON and read back."""

from pathlib import Path
from tempfile import TemporaryFile

from pydantic import BaseModel, ConfigDict

from benchmarks.peers.machine import Machine
from benchmarks.peers.methods import OURS
from firstmover.core.errors import InvalidInput

RECORD = "performance.json"


def make_folder(folder: Path) -> None:
    """Make a folder for the record, and see that files can be written there, before hours are spent measuring."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        TemporaryFile(dir=folder).close()
    except OSError as error:
        raise InvalidInput(f"Folder {str(folder)!r} cannot be written: {error.strerror}; choose another.") from None


class Row(BaseModel):
    """One method on one workload.

    Parameters
    ----------
    method, title
        Its name and what it is, with versions.
    reached
        The rounds that were played from the first on; fewer than asked for when the time ran out.
    cpu, wall
        Median seconds of what was played.
    total
        CPU seconds of all rounds: `cpu`, or estimated by its growth law; None if it failed.
    repeats
        Over how many runs the medians are.
    exponent
        p of a cost per round that grows as t^p, from the workload's settled round on.
    mean_error, std_error, relative_std_error
        The largest errors at the end of the run against the 80-bit reference.
    resident
        Bytes by which resident memory rose at most.
    rounds, curve
        Where the cumulative CPU seconds were read, and these.
    later
        CPU seconds of single rounds after the last of these.
    failure
        Why it stopped, if it did.
    """

    model_config = ConfigDict(frozen=True, ser_json_inf_nan="strings")

    method: str
    title: str
    reached: int
    cpu: float
    wall: float
    total: float | None
    repeats: int
    exponent: float | None
    mean_error: float | None
    std_error: float | None
    relative_std_error: float | None
    resident: float | None
    rounds: list[int]
    curve: list[float]
    later: dict[int, float] = {}
    failure: str | None = None


class Part(BaseModel):
    """All methods on one workload with one number of rounds, measured in one process."""

    model_config = ConfigDict(frozen=True)

    workload: str
    title: str
    horizon: int
    settled: int
    rows: list[Row]
    missing: list[str]
    left_out: list[str] = []
    versions: dict[str, str]
    machine: Machine
    limit: float
    engine_memory: float

    @property
    def ours(self) -> Row:
        """firstmover's row."""
        return next(row for row in self.rows if row.method == OURS)

    def ratio(self, row: Row) -> float | None:
        """How many times the CPU time of firstmover a method takes."""
        return None if row.total is None or self.ours.total is None else row.total / self.ours.total


class Record(BaseModel):
    """The parts measured so far; a part measured again replaces the old one."""

    model_config = ConfigDict(frozen=True)

    parts: list[Part] = []

    def with_part(self, part: Part) -> "Record":
        """The record with one more part, in order."""
        kept = [p for p in self.parts if (p.workload, p.horizon) != (part.workload, part.horizon)]
        return Record(parts=sorted([*kept, part], key=lambda p: (p.workload, p.horizon)))

    @classmethod
    def read(cls, folder: Path) -> "Record":
        """The record of a folder, empty if there is none."""
        path = folder / RECORD
        return cls.model_validate_json(path.read_text(encoding="utf-8")) if path.exists() else cls()

    def write(self, folder: Path) -> None:
        """Keep the record in a folder."""
        make_folder(folder)
        (folder / RECORD).write_text(self.model_dump_json(indent=1) + "\n", encoding="utf-8")

"""The areas of the package that are mutated, and random samples of their mutants."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import unified_diff
from functools import cached_property
from pathlib import Path

from mutants.operators import Mutation, mutations


@dataclass(frozen=True)
class Area:
    """Some sources, as glob patterns, and the folders of the tests that are tried first.

    `elsewhere` are files of tests that execute the sources in other processes, where coverage does not see them.
    """

    name: str
    sources: tuple[str, ...]
    tests: tuple[str, ...]
    elsewhere: tuple[str, ...] = ()


def package_area(name: str) -> Area:
    """Return the area of a whole package, whose tests are in the folder of its name and in its docstrings."""
    return Area(name, (f"src/firstmover/{name}/**/*.py",), (f"tests/{name}/", f"src/firstmover/{name}/"))


def file_area(name: str, package: str, files: tuple[str, ...], elsewhere: tuple[str, ...] = ()) -> Area:
    """Return the area of some files of a package."""
    whole = package_area(package)
    return Area(name, tuple(f"src/firstmover/{package}/{file}.py" for file in files), whole.tests, elsewhere)


SERVED = tuple(f"tests/service/test_{name}.py" for name in ("security", "hostile", "connections", "tokens"))
"""Tests that call a service which is a process of its own."""


AREAS = (
    *map(package_area, ("kernels", "beliefs", "strategies", "learners", "games", "theory", "matches", "runs")),
    file_area("security", "service", ("security", "tokens", "body_limits"), SERVED),
    file_area("claims", "paper", ("claims", "results", "routing", "wildlife", "tables")),
)


@dataclass(frozen=True)
class Mutant:
    """One change of one file below a root."""

    area: Area
    root: Path
    file: str
    mutation: Mutation

    @cached_property
    def source(self) -> bytes:
        """The file without the change."""
        return (self.root / self.file).read_bytes()

    @cached_property
    def diff(self) -> str:
        """The changed lines without indentation: "-" those before, "+" those after."""
        before, after = self.source.decode(), self.mutation.apply(self.source).decode()
        lines = unified_diff(before.splitlines(), after.splitlines(), n=0, lineterm="")
        changed = [line for line in lines if not line.startswith(("---", "+++", "@@"))]
        return "\n".join(f"{line[0]} {line[1:].strip()}" for line in changed)


def sample(root: Path, areas: tuple[Area, ...], size: int, seed: int) -> list[Mutant]:
    """Return a random sample with equally many mutants of each area, as far as the area has them.

    First places in the sources are drawn, each of them with equal probability, then one of the changes of that place.
    """
    chosen: list[Mutant] = []
    for i, area in enumerate(areas):
        rng = random.Random(f"{seed} {area.name}")
        share = size // len(areas) + (i < size % len(areas))
        places = list(_places(root, area))
        rng.shuffle(places)
        compiled = (mutant for mutant in map(rng.choice, places) if mutant.mutation.compiles(mutant.source))
        chosen += [mutant for mutant, _ in zip(compiled, range(share), strict=False)]
    return chosen


def _places(root: Path, area: Area) -> Iterator[list[Mutant]]:
    for file in sorted({path for pattern in area.sources for path in root.glob(pattern)}):
        places: dict[tuple[str, int, int], list[Mutant]] = {}
        name = file.relative_to(root).as_posix()
        for found in mutations(file.read_bytes()):
            place = (found.operator, found.start, found.end)
            places.setdefault(place, []).append(Mutant(area, root, name, found))
        yield from places.values()

"""Two small games for documentation and tests."""

from firstmover.games.entry import GameEntry

_HERE = "firstmover.games.toy"

ENTRIES = {
    "shore": GameEntry(
        "toy: fish where raiders of 5 types do not; scalar response",
        build=f"{_HERE}.game:shore_game",
        kernel=f"{_HERE}.opponents:SHORE_KERNEL",
        behaviour=f"{_HERE}.opponents:shore_raiders",
    ),
    "flock": GameEntry(
        "toy: place a dog so that flocks of 3 types come to the pen; two-dimensional response",
        build=f"{_HERE}.game:flock_game",
        kernel=f"{_HERE}.opponents:FLOCK_KERNEL",
        behaviour=f"{_HERE}.opponents:grazing_flocks",
    ),
}

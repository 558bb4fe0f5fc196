"""Two small games for documentation and tests."""

from firstmover.games.entry import GameEntry

ENTRIES = {
    "shore": GameEntry(
        "toy: fish where raiders of 5 types do not; scalar response",
        build="firstmover.games.toy.game:shore_game",
        kernel="firstmover.games.toy.opponents:SHORE_KERNEL",
        behaviour="firstmover.games.toy.opponents:shore_raiders",
    ),
    "flock": GameEntry(
        "toy: place a dog so that flocks of 3 types come to the pen; two-dimensional response",
        build="firstmover.games.toy.game:flock_game",
        kernel="firstmover.games.toy.opponents:FLOCK_KERNEL",
        regularization=0.0025,
        behaviour="firstmover.games.toy.opponents:grazing_flocks",
    ),
}

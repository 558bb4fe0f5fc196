"""Types of the public names; `_NAMES` in `__init__.py` loads them."""

from firstmover.games.entries import GAMES as GAMES, game_named as game_named, tables_named as tables_named
from firstmover.games.entry import Demonstration as Demonstration, GameEntry as GameEntry, Template as Template
from firstmover.games.rewards import (
    Bilinear as Bilinear,
    Concave as Concave,
    Lattice as Lattice,
    Monotone as Monotone,
    decreasing as decreasing,
    increasing as increasing,
)
from firstmover.games.stackelberg.bimatrix import BimatrixGame as BimatrixGame
from firstmover.games.stackelberg.commitment import Commitment as Commitment, optimal_commitment as optimal_commitment
from firstmover.games.stackelberg.game import StackelbergGame as StackelbergGame
from firstmover.games.stackelberg.harbour_game import harbour as harbour, harbour_game as harbour_game
from firstmover.games.stackelberg.simplex import (
    grid_size as grid_size,
    radius_for_horizon as radius_for_horizon,
    radius_for_size as radius_for_size,
    simplex_grid as simplex_grid,
)
from firstmover.games.toy.game import flock_game as flock_game, shore_game as shore_game

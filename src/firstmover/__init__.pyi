"""Types of the public names; `_NAMES` in `__init__.py` loads them."""

from firstmover.beliefs import ConstantWidth as ConstantWidth, LemmaWidth as LemmaWidth
from firstmover.beliefs.regressor import ResponseRegressor as ResponseRegressor
from firstmover.core.contracts import Game as Game
from firstmover.core.errors import (
    FirstmoverError as FirstmoverError,
    InvalidInput as InvalidInput,
    PrecisionLost as PrecisionLost,
)
from firstmover.core.places import Places as Places
from firstmover.core.records import Alarm as Alarm, Box as Box, Feedback as Feedback, Round as Round, Run as Run
from firstmover.games import (
    GAMES as GAMES,
    BimatrixGame as BimatrixGame,
    Concave as Concave,
    Lattice as Lattice,
    Monotone as Monotone,
    StackelbergGame as StackelbergGame,
    decreasing as decreasing,
    increasing as increasing,
    optimal_commitment as optimal_commitment,
    radius_for_horizon as radius_for_horizon,
    simplex_grid as simplex_grid,
)
from firstmover.games.choice_rules import BestResponse as BestResponse
from firstmover.games.stackelberg.openspiel import from_openspiel as from_openspiel, to_openspiel as to_openspiel
from firstmover.games.stackelberg.opponents import follower as follower
from firstmover.kernels import on_action as on_action, on_type as on_type, polynomial as polynomial
from firstmover.learners import (
    GPMW as GPMW,
    GPUCB as GPUCB,
    LEARNERS as LEARNERS,
    Exp3 as Exp3,
    Hedge as Hedge,
    Setup as Setup,
    SingleType as SingleType,
    StackelUCB as StackelUCB,
)
from firstmover.learners.alarms import alarms as alarms
from firstmover.learners.auto import auto as auto
from firstmover.learners.decision_rules import DecisionRules as DecisionRules
from firstmover.learners.decision_rules import Floor as Floor
from firstmover.matches import Match as Match
from firstmover.runs import compare as compare
from firstmover.simulation import (
    OPPONENTS as OPPONENTS,
    Adversary as Adversary,
    Cyclic as Cyclic,
    Opponent as Opponent,
    RandomTypes as RandomTypes,
    Regret as Regret,
    Sampled as Sampled,
    Scripted as Scripted,
    opponent_for as opponent_for,
    play as play,
    play_many as play_many,
    play_run as play_run,
    regret as regret,
    single as single,
    true_rewards as true_rewards,
)
from firstmover.simulation.ask_tell import AskTell as AskTell
from firstmover.simulation.gymnasium_env import AdversaryEnv as AdversaryEnv, LeaderEnv as LeaderEnv
from firstmover.simulation.pettingzoo_env import StackelbergAEC as StackelbergAEC
from firstmover.strategies import (
    STRATEGIES as STRATEGIES,
    AdaHedge as AdaHedge,
    MultiplicativeWeights as MultiplicativeWeights,
)

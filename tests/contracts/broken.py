"""Objects that break one promise each, for the suites to find."""

from dataclasses import dataclass, replace

import numpy as np
from sklearn.gaussian_process.kernels import RBF

from firstmover.core.contracts import Belief
from firstmover.core.records import Prediction
from firstmover.games.rewards import Monotone
from firstmover.strategies import AdaHedge, MultiplicativeWeights


def total(_, y):
    return y.sum(axis=1)


class Shifted(Monotone):
    def best_in_box(self, actions, box):
        return super().best_in_box(actions, box) + 0.1 * np.sum(box.upper - box.lower, axis=1)


class AlwaysShifted(Monotone):
    def best_in_box(self, actions, box):
        return super().best_in_box(actions, box) + 1e-3


class Blended(Monotone):
    def best_in_box(self, actions, box):
        best = super().best_in_box(actions, box)
        return np.full_like(best, best.max())


class TooHigh(Monotone):
    def worst_in_box(self, actions, box):
        return super().best_in_box(actions, box)


class TooLow(Monotone):
    def worst_in_box(self, actions, box):
        return super().worst_in_box(actions, box) - 0.1 * np.sum(box.upper - box.lower, axis=1)


class AlwaysLow(Monotone):
    def worst_in_box(self, actions, box):
        return super().worst_in_box(actions, box) - 1e-11


class Lowest(Monotone):
    def worst_in_box(self, actions, box):
        worst = super().worst_in_box(actions, box)
        return worst - 1e-10 * worst.sum()


class Column(Monotone):
    def __call__(self, actions, responses):
        return super().__call__(actions, responses)[:, None]


class Scribbling(Monotone):
    def __call__(self, actions, responses):
        value = super().__call__(actions, responses)
        if responses.flags.writeable:
            responses[:] = 0.0
        return value


class Lopsided(RBF):
    def __call__(self, X, Y=None, eval_gradient=False):
        gram = super().__call__(X, Y, eval_gradient)
        return gram + np.triu(np.full(gram.shape, 0.1), 1) if Y is None and not eval_gradient else gram


class Swollen(RBF):
    def __call__(self, X, Y=None, eval_gradient=False):
        return 1.0 / super().__call__(X, Y) if not eval_gradient else super().__call__(X, Y, True)


class Thick(RBF):
    def diag(self, X):
        return 2 * super().diag(X)


class Uphill(RBF):
    def __call__(self, X, Y=None, eval_gradient=False):
        if not eval_gradient:
            return super().__call__(X, Y)
        gram, gradient = super().__call__(X, Y, True)
        return gram, -gradient


class Deaf(RBF):
    theta = property(lambda _: np.zeros(1), lambda _, __: None)


@dataclass(frozen=True, eq=False)
class Faithful:
    """A belief that hands everything on to another; each of those below breaks one promise."""

    inner: Belief
    told: tuple[int, ...] = ()

    def predict(self, opponent_type):
        return self.inner.predict(opponent_type)

    def condition(self, action, opponent_type, response):
        return replace(self, inner=self.inner.condition(action, opponent_type, response), told=(*self.told, action))

    @property
    def information_gain(self):
        return self.inner.information_gain


class Overconfident(Faithful):
    def predict(self, opponent_type):
        said = super().predict(opponent_type)
        return Prediction(said.mean, 0.9 * said.std)


class Stubborn(Faithful):
    def predict(self, opponent_type):
        said = super().predict(opponent_type)
        return Prediction(np.zeros_like(said.mean), said.std)


class Contrary(Faithful):
    def condition(self, action, opponent_type, response):
        return super().condition(action, opponent_type, -np.asarray(response))


class Boastful(Faithful):
    @property
    def information_gain(self):
        return 2 * super().information_gain


class Doubting(Faithful):
    """Less sure of the action beside the one it has just heard of."""

    def predict(self, opponent_type):
        said = super().predict(opponent_type)
        beside = (self.told[-1] + 1) % len(said.std) if self.told else slice(0)
        std = said.std.copy()
        std[beside] += 0.5
        return Prediction(said.mean, std)


class Mutable(Faithful):
    def condition(self, action, opponent_type, response):
        new = super().condition(action, opponent_type, response)
        object.__setattr__(self, "inner", new.inner)
        return new


class Exposed(Faithful):
    """Gives away its own arrays, to be written into."""

    def predict(self, opponent_type):
        kept, said = self.__dict__.setdefault("kept", {}), super().predict(opponent_type)
        return kept.setdefault(opponent_type.tobytes(), Prediction(said.mean.copy(), said.std.copy()))


class Recent(Faithful):
    """Trusts late responses more than early ones."""

    def condition(self, action, opponent_type, response):
        return super().condition(action, opponent_type, np.asarray(response) * (1 + len(self.told)))


class Credulous(Faithful):
    def condition(self, action, opponent_type, response):
        return super().condition(action, opponent_type, np.nan_to_num(response))


class Wrapping(Faithful):
    def condition(self, action, opponent_type, response):
        return super().condition(action % len(self.predict(opponent_type).std), opponent_type, response)


class Unnormalised(AdaHedge):
    @property
    def strategy(self):
        return 1.01 * super().strategy


class Backwards(AdaHedge):
    def update(self, rewards):
        return super().update(-np.asarray(rewards))


class Partial(AdaHedge):
    """Favours the first action."""

    def update(self, rewards):
        new = super().update(rewards)
        return replace(new, cumulative=new.cumulative + 0.2 * np.eye(len(rewards))[0])


class InPlace(MultiplicativeWeights):
    def update(self, rewards):
        self.cumulative[:] += rewards
        return self


@dataclass(frozen=True, eq=False)
class Careless:
    """Follows the leader, whatever it is handed."""

    cumulative: np.ndarray

    @property
    def strategy(self):
        return (np.arange(len(self.cumulative)) == np.argmax(self.cumulative)).astype(float)

    def update(self, rewards):
        return Careless(self.cumulative + rewards)

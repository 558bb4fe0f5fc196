"""The alarm that few actions were tried, and that a rival kernel, which fits better, expects more of others."""

import numpy as np

from firstmover.beliefs import confidence_box
from firstmover.core.arrays import Matrix
from firstmover.core.records import Alarm, Prediction
from firstmover.learners.alarms.evidence import Model, clipped
from firstmover.learners.alarms.marginal import LENGTHS, NOISES, VARIANCES, log_likelihoods, matern

LEAST, MOST = 50, 100
"""Observations before the first alarm, and the first that are used."""

TRIED, BETTER, SURER, PLAUSIBLE = 0.25, 1.2, 1.5, 2.0
"""The share of the menu up to which few actions were tried, the log odds from which on the rival fits better, how many
times smaller the deviations of the match's kernel are, and deviations by which responses and earnings may be off."""


def untested(model: Model, points: Matrix, responses: Matrix) -> Alarm | None:
    """Raise where the kernel claims to know actions that were never tried, and the responses favour one that does not.

    The rival is a Matérn kernel of all features, by which some of these actions could earn more.
    """
    kernel, game = getattr(model.belief, "kernel", None), model.game
    if model.fitted or kernel is None or len(responses) < LEAST:
        return None
    points, responses, noise = points[:MOST], responses[:MOST], float(np.mean(model.noise_variance))
    d = game.actions.shape[1]
    tried = (game.actions[:, None] == np.unique(points[:, :d], axis=0)).all(axis=2).any(axis=1)
    if tried.mean() > TRIED:
        return None
    own = kernel(points)
    level = float(np.mean(own.diagonal()))
    menu = np.hstack([game.actions, np.broadcast_to(points[-1, d:], (game.n_actions, points.shape[1] - d))])
    grams = [level * matern(np.vstack([points, menu]), length) for length in LENGTHS]
    n = len(points)
    tables = [log_likelihoods(gram[:n, :n], responses, noise) for gram in grams]
    best = int(np.argmax([table.max() for table in tables]))
    if tables[best].max() < log_likelihoods(own, responses, noise).max() + BETTER:
        return None
    v, noisier = np.unravel_index(np.argmax(tables[best]), tables[best].shape)
    gram = VARIANCES[v] * grams[best]
    weights = np.linalg.solve(gram[:n, :n] + NOISES[noisier] * noise * np.eye(n), gram[:n, n:])
    std = np.sqrt(np.maximum(gram.diagonal()[n:] - np.einsum("ij,ij->j", gram[:n, n:], weights), 0.0))
    ours = model.belief.predict(points[-1, d:]).std
    if not np.median(std[~tried]) > SURER * np.median(ours[~tried]):
        return None
    box = confidence_box(Prediction(weights.T @ responses, std), PLAUSIBLE, game.response_domain)
    possible = clipped(game, game.reward.best_in_box(game.actions, box))
    earned = game.reward(points[:, :d], responses)
    more = int(np.sum(~tried & (possible > earned.mean() + PLAUSIBLE * earned.std() / np.sqrt(n))))
    if not more:
        return None
    return Alarm(
        "locked in",
        f"Only {tried.sum()} of {game.n_actions} actions were tried in {n} observations, and {more} others could earn "
        f"more than the {earned.mean():.4g} earned, by a kernel that fits the responses better than that of the match.",
        "Try some of them yourself and record what you observe, or take the learner auto, which fits its kernel.",
        1,
    )

"""A small cluster of one machine: shards in its actors, batches in its workers, kills of both, and who can reach it."""

import json
import os
import signal

import polars as pl
import pytest
from firstmover.runs.cluster import connected
from firstmover.runs.sweeps.batches import Batch
from firstmover.runs.sweeps.engines import ENGINES
from firstmover.runs.sweeps.tasks import SweepTask, canonical

from firstmover import InvalidInput
from tests.runs.on_ray.kills import killed_sweep
from tests.runs.on_ray.players import play
from tests.runs.on_ray.processes import descendants, listening
from tests.sharded.problems import Problem, difference


def killer(ray, learner, when):
    """Kills the process of the second actor before some round."""

    def before_round(t):
        if t == when:
            actor = learner.belief.shards._home.actors[1]
            os.kill(ray.get(actor.__ray_call__.remote(lambda _: os.getpid())), signal.SIGKILL)

    return before_round


def refusals(head):
    """What one connection does not allow."""
    with pytest.raises(InvalidInput, match=r"shards is 3, and the cluster has 2 core\(s\): give as many at most"):
        Problem(n=10).sharded(3)
    with pytest.raises(InvalidInput, match="Ray is connected already"), connected(head.address):
        pass


def test_two_actors_are_one_process_even_after_a_kill(ray, head):
    """And what a connection refuses, on the same one: each costs two workers that load their libraries."""
    refusals(head)
    problem = Problem(n=2001, d=10, q=3, rounds=12)
    plain, actions = problem.play(problem.plain())
    learner = problem.sharded(2)
    sharded, picked = problem.play(learner, killer(ray, learner, 6))
    assert picked == actions
    assert difference(sharded, plain, problem.game.types) < 1e-12
    assert learner.belief.shards.replays == 1
    addresses = listening(descendants(head.pid) | {os.getpid()})
    assert len(addresses) >= 6
    assert all(address.is_loopback for address in addresses)


def batch(folder, *seeds, **more):
    tasks = [SweepTask(canonical({"seed": seed, **more}), 1, "family") for seed in seeds]
    return Batch(str(folder), tuple(tasks), play)


def told(engine, count):
    """What so many batches came to, by the first seed of each."""
    outcomes = {}
    while len(outcomes) < count:
        for ended, outcome in engine.finished(timeout=1.0):
            outcomes[json.loads(ended.tasks[0].document)["seed"]] = outcome
    return outcomes


def test_the_engine_carries_batches_and_tells_which_were_lost(head, tmp_path):
    engine = ENGINES["ray"].start(None, head.address)
    try:
        assert (engine.workers, engine.capacity) == (2, 4)
        assert engine.finished(timeout=0.0) == []
        for submitted in (batch(tmp_path, 1, 2), batch(tmp_path, 3, deadly=True), batch(tmp_path, 4)):
            engine.submit(submitted)
        outcomes = told(engine, 3)
        assert outcomes.pop(3) is None
        assert {seed: outcome.done for seed, outcome in outcomes.items()} == {1: 2, 4: 1}
        stored = pl.concat([pl.read_parquet(path) for path in (tmp_path / "results").glob("*.parquet")])
        assert sorted(stored["seed"]) == [1, 2, 4]
        assert set(stored["threads"]) == {"1"}
        engine.submit(batch(tmp_path / "nowhere", 5))
        with pytest.raises(FileNotFoundError):
            told(engine, 1)
    finally:
        engine.close(at_once=True)


def test_a_sweep_survives_kills(head, tmp_path):
    story = killed_sweep(tmp_path / "sweep", head, count=16, drivers=1, workers=1, seed=0)
    assert story.identical
    assert story.twice(story.ended) <= 1


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_a_sweep_survives_many_kills(head, tmp_path, seed):
    """200 tasks, 5 kills of the driver and 4 of workers: complete, identical, at most 5 % executed twice.

    Executed twice is played to the end twice. What was begun and cut off is bounded by the kills: a driver takes a
    batch of one task with each of its two workers, a worker its own, 14 at the very most.
    """
    story = killed_sweep(tmp_path / "sweep", head, count=200, drivers=5, workers=4, seed=seed)
    print(f"begun twice {story.twice(story.begun)}, executed twice {story.twice(story.ended)} of 200")
    assert story.identical
    assert story.twice(story.ended) <= 10
    assert story.twice(story.begun) <= 5 * 2 + 4  # a driver goes with two batches, of one task each


@pytest.mark.slow
def test_a_million_actions_over_two_actors(ray):
    """10^6 actions of ten features, ten types, 200 rounds, a kill midway: equal within 1e-9."""
    problem = Problem(n=1_000_000, d=10, q=10, rounds=200)
    plain, actions = problem.play(problem.plain())
    learner = problem.sharded(2)
    sharded, picked = problem.play(learner, killer(ray, learner, 100))
    assert picked == actions
    assert difference(sharded, plain, problem.game.types) < 1e-9
    assert learner.belief.shards.replays == 1

"""What stands in for playing: a number for each task, and a few that behave badly."""

import json
import os
import signal

import polars as pl


def play(tasks):
    """One row for each task; a worker that meets a deadly one is gone."""
    documents = [json.loads(task.document) for task in tasks]
    if any(document.get("deadly") for document in documents):
        os.kill(os.getpid(), signal.SIGKILL)
    threads = os.environ["OPENBLAS_NUM_THREADS"]
    return [pl.DataFrame({"seed": [document["seed"]], "threads": [threads]}) for document in documents]

"""A Ray cluster of two workers in a process of its own: says its address, and ends when its standard input does."""

import sys

from firstmover.runs.cluster import connected

if __name__ == "__main__":
    with connected(workers=2, object_store=int(sys.argv[1])) as ray:
        print(ray.get_runtime_context().gcs_address, flush=True)
        sys.stdin.read()

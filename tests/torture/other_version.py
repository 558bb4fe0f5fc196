"""Another version of firstmover, found by PYTHONPATH, that does what it reads line by line: STORE [forgetful].

It uses only what every version has, and nothing of these tests. Each line is a JSON list: a method and its arguments.
"""

import json
import sys

from firstmover.matches import Match


def main(url: str, forgetful: str = "") -> None:
    """`forgetful`: every third tell is acknowledged and not recorded."""
    with Match.open(url, "roads") as match:
        tells = 0
        for line in sys.stdin:
            method, *arguments = json.loads(line)
            tells += method == "tell"
            if forgetful and method == "tell" and tells % 3 == 0:
                print(json.dumps(True), flush=True)
                continue
            found = getattr(match, method)(*arguments)
            if method == "ask":
                found = [found.action, found.probability]
            elif method == "verify":
                found = [found.events, found.largest_difference]
            print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])

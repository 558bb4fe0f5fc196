"""Draw docs/images/rehearsal.png: gains and risks of the kiosk's match in simulated seasons.

Run from the project's root: `python docs/images/make_rehearsal.py`. Equal seeds give equal pictures.
"""

from pathlib import Path

from matplotlib.figure import Figure

from firstmover.figures.files import drawn, save_png
from firstmover.figures.rehearsal import chances, draw_chances, draw_total_gains, total_gains
from firstmover.matches import Rehearsal, propose_file, rehearse

SEASONS, ROUNDS = 20, 52
TABLE = Path("examples/tables/kiosk.csv")
PICTURE = Path(__file__).with_name("rehearsal.png")


def draw(rehearsal: Rehearsal, figure: Figure) -> None:
    """Draw the total gain on the left and the chances of being behind on the right."""
    left, right = figure.subfigures(1, 2)
    draw_total_gains(total_gains(rehearsal), left)
    draw_chances(chances(rehearsal), right)


if __name__ == "__main__":
    proposal, _ = propose_file(TABLE, reward="(price - 0.9) * sold")
    played = rehearse(proposal.config(), TABLE, seasons=SEASONS, rounds=ROUNDS)
    print("\n".join(played.lines()))
    save_png(drawn(lambda figure: draw(played, figure), (9.6, 3.6)), PICTURE)

"""The schedule of rounds: local times of days in a named time zone, and when the next round is due.

A schedule reminds people. It never asks by itself, since asking commits the action of a round.
"""

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING, Annotated, Literal, get_args
from zoneinfo import ZoneInfo

from pydantic import Field, field_validator

from firstmover.core.documents import Specification, one_of

if TYPE_CHECKING:
    from firstmover.matches.state import State

Day = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
DAYS: tuple[Day, ...] = get_args(Day)
WEEKDAYS = DAYS[:5]
LOOKED_AT = 9  # days on each side of a moment: a schedule has a time in every week

TimeOfDay = Annotated[str, Field(pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9]$"), one_of("a time of the day such as 07:00")]


class Schedule(Specification):
    """Times of the day, on some days of the week, in a time zone by its IANA name.

    A time that is skipped when clocks go forward is due when they have gone, one that comes twice the first time.
    """

    times: list[TimeOfDay] = Field(min_length=1, max_length=48)
    days: list[Day] = Field(default=list(DAYS), min_length=1, max_length=7)
    zone: str = Field(default="UTC", max_length=80)

    @field_validator("zone")
    @classmethod
    def _known(cls, name: str) -> str:
        try:
            ZoneInfo(name)
        except (OSError, ValueError, KeyError):
            raise ValueError("it is no time zone known here: name one such as Europe/Zurich") from None
        return name

    @property
    def words(self) -> str:
        """The schedule in words.

        >>> Schedule(times=["07:00"], days=list(WEEKDAYS), zone="Europe/Zurich").words
        'on weekdays at 07:00 (Europe/Zurich)'
        """
        days = {frozenset(DAYS): "every day", frozenset(WEEKDAYS): "on weekdays"}.get(
            frozenset(self.days), f"on {', '.join(day for day in DAYS if day in self.days)}"
        )
        return f"{days} at {', '.join(sorted(set(self.times)))} ({self.zone})"

    def _around(self, moment: datetime) -> list[datetime]:
        """The times of the schedule near a moment, in UTC, in order."""
        zone = ZoneInfo(self.zone)
        today = moment.astimezone(zone).date()
        dates = (today + timedelta(days=number) for number in range(-LOOKED_AT, LOOKED_AT + 1))
        return sorted({self._at(day, clock, zone) for day in dates for clock in self.times if self._has(day)})

    def _has(self, day: date) -> bool:
        return DAYS[day.weekday()] in self.days

    @staticmethod
    def _at(day: date, clock: str, zone: ZoneInfo) -> datetime:
        return datetime.combine(day, time.fromisoformat(clock), zone).astimezone(UTC)

    def following(self, moment: datetime) -> datetime:
        """Return the first time after a moment."""
        return next(each for each in self._around(moment) if each > moment)

    def nearest(self, moment: datetime) -> datetime:
        """Return the time that is nearest to a moment; of two, the earlier one."""
        return min(self._around(moment), key=lambda each: abs(each - moment))


def hourly(hours: int, first: str = "00:00") -> list[str]:
    """Return the times of a day that are so many hours apart, from a first time on; the night may be longer.

    >>> hourly(6, "07:30")
    ['07:30', '13:30', '19:30']
    """
    begin = time.fromisoformat(first)
    return [f"{hour:02}:{begin.minute:02}" for hour in range(begin.hour, 24, hours)]


@dataclass(frozen=True)
class DueRound:
    """When the next round is due, in UTC, the schedule in words, and its time zone.

    It is overdue once that time is past: nothing here depends on the clock of the reader.
    """

    at: str
    words: str
    zone: str


def due_round(state: "State") -> DueRound | None:
    """Return when the next round of a match is due; None without a schedule, or if the match is archived.

    A round that was asked counts for the time of the schedule that is nearest to its ask.
    """
    if state.schedule is None or state.archived:
        return None
    schedule, done = state.schedule, datetime.fromisoformat(state.scheduled_at)
    if state.order:
        asked = datetime.fromisoformat(state.rounds[state.order[-1]].asked_at)
        done = max(done, asked, schedule.nearest(asked))
    return DueRound(schedule.following(done).isoformat(), schedule.words, schedule.zone)

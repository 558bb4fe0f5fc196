"""Several runs of one configuration: together where that is quicker, otherwise one after the other."""

from firstmover.many.together import play_many, plays_together

__all__ = ["play_many", "plays_together"]

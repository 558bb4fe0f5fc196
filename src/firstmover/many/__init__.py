"""Several runs of one configuration: together where that is quicker, otherwise one after the other."""

from firstmover.many.together import play_many

__all__ = ["play_many"]

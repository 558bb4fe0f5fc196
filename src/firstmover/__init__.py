"""Move first, and learn, against an opponent you do not know."""

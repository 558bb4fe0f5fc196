"""The HTTP service and the web page over live matches and stored runs."""

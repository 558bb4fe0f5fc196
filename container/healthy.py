"""Exit with 0 if the service of this container answers, with 1 if not."""

import os
import socket
from urllib.request import urlopen

address = socket.gethostbyname(socket.gethostname())
with urlopen(f"http://{address}:{os.environ['FIRSTMOVER_PORT']}/healthz", timeout=4):
    pass

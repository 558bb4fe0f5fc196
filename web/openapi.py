"""Print the OpenAPI document of the service as JSON, for the linter and for the types of the web app."""

import json
import tempfile
from pathlib import Path

from firstmover.service.app import create_app
from firstmover.service.tokens import Tokens

with tempfile.TemporaryDirectory() as folder:
    app = create_app(Path(folder) / "matches.db", folder, Tokens(Path(folder) / "tokens.json"))
    print(json.dumps(app.openapi(), indent=1, ensure_ascii=False))

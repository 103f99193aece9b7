"""The app of a class whose runs are in a folder of their own: `own_class_app.py PORT FOLDER`."""

import sys
from pathlib import Path

from classroom import settings
from pages.frame import cached

cached.OWN = Path(sys.argv[2])

import class_app  # noqa: E402  # it is handed the folder

if __name__ == "__main__":
    class_app.app.run(
        config={
            "server.address": "127.0.0.1",
            "server.port": int(sys.argv[1]),
            "secrets.files": [str(settings.folder() / settings.SECRETS)],
        }
    )

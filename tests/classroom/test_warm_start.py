import os
import subprocess
import sys
from pathlib import Path

import pytest

from classroom import warm_start

ROOT = Path(__file__).resolve().parents[2]
PASSWORDS = {"CLASS_PASSWORD": "all together", "TEACHER_PASSWORD": "mine alone"}
# Served as any server of ASGI would: what it prints is there before anybody may come.
SERVED = """
import sys
from starlette.testclient import TestClient
import class_app
from pages.frame import cached
with TestClient(class_app.app) as client:
    assert client.get("/_stcore/health").status_code == 200
    print(len(cached.models()), *(each for each in sys.modules if each.startswith("pages.")))
"""


def test_every_page_has_an_address():
    found = warm_start.addresses()
    assert found[0] == ("", "")
    listed = (ROOT / "app.py").read_text()
    assert all(f'"{page}"' in listed for page, _query in found[1:] if page != "visitors")
    assert {"attention", "heads", "training", "glossary"} <= {page for page, _query in found}


@pytest.mark.slow
def test_a_class_that_answers_has_all_modules_and_the_first_model_in_memory(tmp_path):
    environment = os.environ | PASSWORDS | {"CLASS_SETTINGS": str(tmp_path)}
    ended = subprocess.run(
        [sys.executable, "-c", SERVED], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert ended.returncode == 0, ended.stderr
    n_models, *modules = ended.stdout.split()
    assert int(n_models) >= 1
    views = {
        ".".join(each.relative_to(ROOT).with_suffix("").parts)
        for each in (ROOT / "pages" / "views").glob("*/*.py")
        if each.stem != "__init__"
    }
    assert views <= set(modules)

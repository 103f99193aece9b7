"""What holds for every test.

- Machines may be busy, so no example fails for being slow, and 25 of each kind are enough.
- One core for each process, in the processes that tests start too: what the tests compute is small,
  and several tests may run at the same time.
- One browser, and one Playwright, which does not begin twice in a process.
"""

import gc
import os
import sys
from collections.abc import Iterator

import pytest
from hypothesis import settings
from playwright.sync_api import Browser, sync_playwright

from tests.browser.chromium import COMPILED_ONCE, launched

# Before torch is imported, which reads it once.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# Beside a whole suite, work that makes way would hardly come to its end.
os.environ["JOB_NICENESS"] = "0"

settings.register_profile("unhurried", deadline=None, max_examples=25)
settings.load_profile("unhurried")


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """What is imported and collected stays: to look for garbage among it would slow every test.

    A page makes many objects, of which most are gone with it: less often is often enough.
    """
    gc.disable()
    found = yield
    gc.freeze()
    gc.set_threshold(100_000, 50, 100)
    gc.enable()
    return found


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One Chromium: the installed one if there is any, else the one Playwright has downloaded."""
    with sync_playwright() as playwright:
        opened = launched(playwright.chromium, COMPILED_ONCE)
        yield opened
        opened.close()


@pytest.fixture(scope="session")
def opened_path(tmp_path_factory):
    """Return a function that returns the folder of a small random model of a kind, opened once.

    It is everybody's: whoever changes it copies it.
    """
    # Imported here: most tests need neither.
    from core.studies.opening.opening import open_model
    from tests.core.library.folders import write_folder

    runs = tmp_path_factory.mktemp("opened")

    def path(kind):
        if not (runs / kind).exists():
            write_folder(runs / ".models" / kind, kind)
            list(open_model(str(runs / ".models" / kind), runs / kind))
        return runs / kind

    return path


@pytest.fixture(scope="session")
def one_stack_folder(tmp_path_factory):
    """Return a function that returns a run of another kind that was barely trained here.

    It is everybody's: whoever changes it copies it.
    """
    from core.tasks import TASKS
    from core.training.prepare import prepare_run
    from core.training.presets import with_settings
    from core.training.trainer import train_run
    from tests.core.conftest import MINIATURE, draw_few

    runs = tmp_path_factory.mktemp("one_stack")

    def folder(like, **more):
        path = runs / "-".join([like, *map(str, more)])
        if not path.exists():
            with pytest.MonkeyPatch.context() as patch:
                draw_few(patch)
                preset = with_settings(MINIATURE, {"like": like, "steps": 6} | more)
                prepare_run(path, TASKS["copy"], "miniature", preset, "python -m core …")
                assert len(list(train_run(path))) == 6
        return path

    return folder


@pytest.fixture(autouse=True)
def _own_main_module():
    """Streamlit puts the script that it tests in its place, where processes would begin with it."""
    main = sys.modules["__main__"]
    yield
    sys.modules["__main__"] = main

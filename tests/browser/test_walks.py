"""What a visitor chose is never lost, and never comes back: random walks through the app.

`WALKS=200 pytest -n 2 tests/browser/test_walks.py` walks often, on a machine that is kept busy.
"""

import os
import random
import subprocess
import sys
import time

import pytest

from tests.browser import walks

pytestmark = pytest.mark.browser
WALKS = int(os.environ.get("WALKS", "0"))
"""So many long walks; without, a few short ones."""
LENGTH = 20 if WALKS else 8
SLOWER = 6
"""So many times slower the browser is made."""
SECONDS = 30
"""So long the page may take to show what was chosen."""


@pytest.fixture(scope="module")
def busy():
    """Keep the machine busy beside the server, where much is walked."""
    if not WALKS:
        yield
        return
    spinning = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    yield
    spinning.kill()
    spinning.wait()


class Walk:
    """One visitor, and what is known of what they chose."""

    def __init__(self, page, seed):
        self.page, self.chance, self.state = page, random.Random(seed), walks.State()
        self.done, self.found = [], {}

    def go(self, steps):
        self.arrive()
        for _ in range(steps):
            self.step()
        self.page.wait_for_timeout(1500)
        self.arrive()
        if self.state.page != "attention":
            self.do([walks.visit("attention")])

    def step(self):
        before = self.page.evaluate(
            """() => {
                const index = navigation.currentEntry.index;
                return index > 1 ? navigation.entries()[index - 1].url : null;
            }"""
        )
        self.do(walks.next_actions(self.chance, self.state, self.found, before))

    def do(self, actions):
        self.done.append(" + ".join(each.name for each in actions))
        for action in actions:
            action.do(self.page)
        for action in actions:
            action.imply(self.state)
            self.state.draw()
        self.arrive()

    def arrive(self):
        """Wait until the page shows what was chosen."""
        self.state.draw()
        deadline, wrong = time.monotonic() + SECONDS, {"nothing was read": (0, 0)}
        while wrong and time.monotonic() < deadline:
            try:
                before, self.found = self.found, self.page.evaluate(walks.READ)
                # What the page drew before may stand there for a moment when the script has ended.
                moves = {} if before == self.found else {"what it shows": (before, self.found)}
                wrong = walks.differences(self.state, self.found) or moves
            except Exception as error:  # The page is being loaded.
                wrong = {"unreadable": ("", str(error)[:200])}
            if wrong:
                self.page.wait_for_timeout(200)
        assert not wrong, "\n".join(
            ["", *self.done, "must be, and is:", *(f"{name}: {two}" for name, two in wrong.items())]
        )


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(WALKS or 3))
def test_a_walk_ends_in_the_state_that_its_actions_imply(visit, busy, seed):
    page = visit("attention?view=maps")
    # Loaded, it is walked through: what comes first of all is no part of it.
    page.locator(".maps[data-drawn]").wait_for(timeout=120_000)
    slow = page.context.new_cdp_session(page)
    slow.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
    try:
        Walk(page, seed).go(LENGTH)
    finally:
        slow.detach()

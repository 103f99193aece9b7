"""Two replicas of a class behind the proxy of `deploy/`, of which one is killed."""

import asyncio
import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from urllib.parse import parse_qs

import pytest
from websockets.exceptions import WebSocketException

from benchmarks.served_class import SECRETS, proxied, replica
from benchmarks.websocket_visitor import Visitor
from classroom import cookie, settings
from classroom.names import admitted
from core.runs.folder import TRAINING
from core.runs.metrics import read_rows
from core.training import process
from core.training.process import situation

SECONDS = 240
SENTENCE = "The dog number 7 did not cross the river because it was too cold."
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """Serve a class with one training at once; return the proxy, the replicas, runs and log."""
    runs, folder = tmp_path_factory.mktemp("runs"), tmp_path_factory.mktemp("nginx")
    (runs / settings.FILE).write_text("[limits]\nat_once = 1\n")
    with ExitStack() as running:
        replicas = dict(running.enter_context(replica(runs)) for _ in range(2))
        address = running.enter_context(proxied(folder, replicas))
        yield address, replicas, runs, folder / "access.log"
        for run in runs.glob(".class/*/*/run.json"):
            TRAINING.ask(run.parent, "pause")
        until(lambda: not any(situation(each.parent).alive for each in trained(runs)))


def trained(runs):
    return sorted(runs.glob(".class/*/*/run.json"))


def until(condition):
    deadline = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.2)


def cookie_of(runs, name):
    visitor = admitted(runs, name, "a word")
    return f"{cookie.NAME}={cookie.written(settings.read(runs, SECRETS), visitor)}"


def replica_of(log, name):
    """Return at which replica the last websocket was opened that has ended."""
    [*_, last] = [each for each in log.read_text().splitlines() if "/_stcore/stream" in each]
    return f"http://{last.split()[-2].rpartition(',')[2]}"


async def look(address, cookie, query=""):
    """Look at an address; return what the link in the answer says."""
    async with Visitor(address, page="attention", query=query, cookie=cookie) as visitor:
        answer = await visitor.open()
    link, _for_slides = [each for each in answer.codes if each.startswith("http")]
    return parse_qs(link.partition("?")[2])


async def train(visitor):
    await visitor.open()
    await visitor.go_to("training")
    await visitor.choose("size", "tiny")
    await visitor.press("start")


def done(visit):
    """Wait for a visit, in a thread: the browser of other tests has a loop in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, visit).result()


def visitors_apart(address, runs, log):
    """Return the cookies of two visitors whom the proxy leads to different replicas."""
    first = cookie_of(runs, "Ann")
    done(look(address, first, "view=maps"))
    at = replica_of(log, "Ann")
    for number in range(40):
        other = cookie_of(runs, f"Ben-{number}")
        done(look(address, other, "view=maps"))
        if replica_of(log, other) != at:
            return first, at, other
    raise AssertionError("all are led to one replica")


def test_a_replica_that_is_killed_takes_no_run_and_no_view_with_it(served):
    address, replicas, runs, log = served
    ann, at, ben = visitors_apart(address, runs, log)
    done(killed_while_ann_trains(served, ann, at, ben))


async def killed_while_ann_trains(served, ann, at, ben):
    address, replicas, runs, log = served
    async with (
        Visitor(address, page="attention", query="view=maps", cookie=ann) as of_ann,
        Visitor(address, cookie=ben) as of_ben,
    ):
        await of_ann.open()
        await of_ann.type("sentence", SENTENCE)
        await of_ann.report("maps", "pick", {"layer": 1, "head": 3})
        shown = of_ann.query
        async with Visitor(address, cookie=ann) as other_tab:
            await train(other_tab)
        [run] = [each.parent for each in trained(runs)]
        # The other replica knows of it, from the moment that it is started.
        await train(of_ben)
        [waiting] = [each.parent for each in trained(runs) if each.parent != run]
        assert process.queue([waiting]) == [waiting]
        assert not situation(waiting).alive
        until(lambda: read_rows(run))

        os.kill(replicas[at], signal.SIGKILL)
        with pytest.raises((WebSocketException, OSError)):
            await of_ann.type("sentence", "Nobody answers.")
        # Her browser opens the address again, and the other replica answers.
        found = await look(address, ann, shown)
        assert (found["sentence"], found["layer"], found["head"]) == ([SENTENCE], ["1"], ["3"])
        assert replica_of(log, ann) != at
        # Who was at the other one has noticed nothing.
        assert (await of_ben.go_to("")).seconds
    measured = len(read_rows(run))
    assert situation(run).alive
    until(lambda: len(read_rows(run)) > measured or situation(run).state == "finished")
    assert not process.queue([run])
    # Its turn comes by the one that is left.
    TRAINING.ask(run, "pause")
    until(lambda: not process.queue([waiting]))
    until(lambda: read_rows(waiting))
    assert {each.parent for each in trained(runs)} == {run, waiting}

import asyncio
import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest

from benchmarks.websocket_visitor import Visitor

APP = "tests/browser/apps/long_work_app.py"


class Pipes:
    """What a computation says, and what lets it go on."""

    def __init__(self, folder):
        self.folder = folder
        for name in ("go", "told"):
            os.mkfifo(folder / name)

    @property
    def query(self):
        return f"pipes={self.folder}"

    async def open(self):
        self._go = await asyncio.to_thread((self.folder / "go").open, "wb", 0)
        self._told = await asyncio.to_thread((self.folder / "told").open)

    async def told(self):
        return (await asyncio.to_thread(self._told.readline)).strip()

    def go(self):
        self._go.write(b".")

    def close(self):
        for each in (self._go, self._told):
            with suppress(BrokenPipeError):
                each.close()


@pytest.fixture
def pipes(tmp_path):
    return Pipes(tmp_path)


async def begin(visitor, pipes):
    """Open the page; return the request, and leave the computation in its second piece."""
    asked = asyncio.create_task(visitor.open())
    await pipes.open()
    assert await pipes.told() == "0"
    pipes.go()
    assert await pipes.told() == "1"
    return asked


async def until_alone(visitor):
    """Ask until all others are gone."""
    while (await visitor.press("again")).texts != ["visitors: 1"]:
        pass


async def _beside(address, pipes):
    async with Visitor(address, query=pipes.query) as slow, Visitor(address) as other:
        asked = await begin(slow, pipes)
        # The computation stands still meanwhile, in the middle of a piece.
        assert (await other.open()).texts == ["visitors: 2"]
        assert (await other.press("again")).texts == ["visitors: 2"]
        for piece in range(2, 100):
            pipes.go()
            assert await pipes.told() == str(piece)
        pipes.go()
        assert (await asked).texts == ["all of it"]
        pipes.close()


def done(visit):
    """Wait for visits, in a thread: the browser of other tests has a loop in this one."""
    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, visit).result()


def test_another_visitor_is_answered_meanwhile(serve, pipes):
    done(_beside(serve(APP), pipes))


async def _left(address, pipes):
    async with Visitor(address) as other:
        await other.open()
        async with Visitor(address, query=pipes.query) as slow:
            asked = await begin(slow, pipes)
            asked.cancel()
        await until_alone(other)
        pipes.go()
        assert await pipes.told() == "StopException"
        pipes.close()


def test_it_ends_within_a_piece_when_its_visitor_leaves(serve, pipes):
    done(_left(serve(APP), pipes))

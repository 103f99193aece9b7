"""Fifty visitors of a class at once, for ten minutes: how long each answer takes, and whose it is.

    python -m benchmarks.load [--visitors 50] [--minutes 10] [--pause 2] [--replicas 1]

Each visitor is a session of its own over the websocket that a browser would use (no browser draws
what comes). She types sentences that nobody else types, chooses heads and views, goes from page to
page and from step to step; between two actions she looks, for `--pause` seconds on average. Five of
them train, as many at once as the class's limits allow; the others wait in line. Every answer is
looked into: its link and its Python must name the asker's sentence and what she chose, its picture
must show the words of her sentence, and no number of another's sentence may stand in it; a sample
of the pictures is computed again with the model. Then the same rhythm on an app of one line is the
floor. Times depend on the machine and on what else it does; ratios to the floor do less, and the
processor's time for an action hardly.
"""

import argparse
import asyncio
import random
import statistics
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import product

from websockets.exceptions import WebSocketException

from benchmarks.load_checks import Check, computed_anew
from benchmarks.measuring import ROOT
from benchmarks.served_class import Server, serve_alone, serve_class
from benchmarks.websocket_visitor import Answer, VisitError, Visitor

ANIMALS = ("dog", "cat", "horse", "cow", "rabbit", "goat", "bird", "frog", "turtle", "mouse")
PLACES = ("street", "river", "bridge", "garden", "park", "forest", "field", "road")
STATES = ("tired", "wide", "old", "small", "happy", "cold")
SENTENCE = "The {} number {} did not cross the {} because it was too {}."
N_TRAIN = 5
GOALS = {"sentence": 300, "head": 150, "view": 150, "step": 150}
"""Milliseconds that 95 of 100 answers take at most, on two cores that do nothing else."""
ROUND = ("sentence", "head", "view", "head", "sentence", "decoding", "step", "step", "sentence")
ROUND += ("step", "other page", "attention")
OTHERS = ("heads", *["lessons"] * 4, "training", "training", "glossary")
"""Each as often as it has pages of an earlier version: lessons were four, training two."""
SECONDS_TO_ARRIVE = 20.0
"""Within so many the visitors come."""


@dataclass(slots=True)
class Measured:
    """What was seen of all visitors."""

    seconds: dict[str, list[float]] = field(default_factory=dict)
    errors: Counter[str] = field(default_factory=Counter)
    check: Check = field(default_factory=Check)
    megabytes: list[float] = field(default_factory=list)
    cpu_seconds: float = 0.0

    def note(self, action: str, answer: Answer) -> None:
        """Take down how long an answer took."""
        self.seconds.setdefault(action, []).append(answer.seconds)

    @property
    def n(self) -> int:
        """How many answers came."""
        return sum(map(len, self.seconds.values()))


class Student:
    """One visitor and what she does next."""

    def __init__(self, number: int, visitor: Visitor, measured: Measured, pause: float) -> None:
        self.number, self.visitor, self.measured, self.pause = number, visitor, measured, pause
        self.rng = random.Random(number)
        words = list(product(ANIMALS, (str(number),), PLACES, STATES))
        self.to_type = [SENTENCE.format(*each) for each in self.rng.sample(words, len(words))]
        self.sentence = ""

    async def visit(self, until: float, *, trains: bool) -> None:
        """Come, and go through rounds until it is time to go."""
        await self.do("first page", self.visitor.open)
        await self.rest()
        await self.page("attention")
        if trains:
            await self.train()
        acts = self.acts()
        while True:
            for action in ROUND:
                await self.rest()
                if time.monotonic() > until:
                    return
                await acts[action]()

    def acts(self) -> dict[str, Callable[[], Awaitable[None]]]:
        """Return what is done under each name."""
        return {
            "sentence": self.type,
            "head": self.head,
            "view": self.view,
            "step": self.step,
            "decoding": lambda: self.page("decoding"),
            "attention": lambda: self.page("attention"),
            "other page": lambda: self.page(self.rng.choice(OTHERS)),
        }

    async def do(self, action: str, ask: Callable[[], Awaitable[Answer]], **chose: object) -> None:
        """Ask for something, and look into the answer."""
        try:
            answer = await ask()
        except VisitError as error:
            self.measured.errors[f"{action}: {error}"] += 1
            return
        self.measured.note(action, answer)
        self.measured.check.look(answer, self.number, self.sentence, chose)

    async def rest(self) -> None:
        """Look at the page for a while; what is drawn again by itself is."""
        until = time.monotonic() + self.pause * self.rng.uniform(0.5, 1.5)
        while (left := until - time.monotonic()) > 0:
            redrawn = dict(self.visitor.redrawn)
            every = min(redrawn.values(), default=left)
            await asyncio.sleep(min(left, every))
            if every < left:
                for fragment in redrawn:
                    await self.do("by itself", lambda part=fragment: self.visitor.draw_again(part))

    async def type(self) -> None:
        """Type a sentence that nobody has typed."""
        self.sentence = self.to_type.pop()
        await self.do("sentence", lambda: self.visitor.type("sentence", self.sentence))

    async def head(self) -> None:
        """Choose another head: by a click into the maps, where they are."""
        layer, head = self.rng.randrange(2), self.rng.randrange(4)
        if self.visitor.has("maps"):
            pick = {"layer": layer, "head": head}
            ask = self.visitor.report("maps", "pick", pick)
            await self.do("head", lambda: ask, layer=layer, head=head)
        elif self.visitor.has("head"):
            await self.do("head", lambda: self.visitor.choose("head", str(head)), head=head)

    async def view(self) -> None:
        """Choose another view of the attention page."""
        view = self.rng.choice(self.visitor.offered("view"))
        await self.do("view", lambda: self.visitor.choose("view", view))

    async def step(self) -> None:
        """Go to another step of a decoding."""
        if self.visitor.has("stepper"):
            step = self.rng.randrange(6)
            told = self.visitor.report("stepper", "step", {"step": step})
            await self.do("step", lambda: told, decoding_step=step)

    async def page(self, page: str) -> None:
        """Go to another page."""
        await self.do(
            "attention" if page == "attention" else "page", lambda: self.visitor.go_to(page)
        )

    async def train(self) -> None:
        """Start a small training, watch it for a while, and go back to the model of before."""
        model = self.visitor.offered("model")[0]
        await self.do("page", lambda: self.visitor.go_to("training"))
        await self.do("set up", lambda: self.visitor.choose("size", "tiny"))
        await self.do("start training", lambda: self.visitor.press("start"))
        await self.rest()
        await self.page("attention")
        await self.do("model", lambda: self.visitor.choose("model", model))


async def of_class(server: Server, minutes: float, pause: float) -> Measured:
    """Let all visitors of a class come, and return what was seen."""
    measured = Measured()
    until = time.monotonic() + 60 * minutes

    async def visit(number: int, cookie: str) -> None:
        # The first comes alone: what she waits for, the others do not.
        await asyncio.sleep(SECONDS_TO_ARRIVE * number / len(server.cookies))
        try:
            async with Visitor(server.address, cookie=cookie) as visitor:
                student = Student(number, visitor, measured, pause)
                await student.visit(until, trains=number < N_TRAIN)
        except (OSError, WebSocketException, VisitError) as error:
            measured.errors[f"{type(error).__name__}: {error}"] += 1

    await _together(server, measured, [visit(*each) for each in enumerate(server.cookies)])
    return measured


async def of_floor(server: Server, n: int, minutes: float, pause: float) -> Measured:
    """Let as many type as fast on the page of one line."""
    measured = Measured()
    until = time.monotonic() + 60 * minutes

    async def visit(number: int) -> None:
        rng = random.Random(number)
        await asyncio.sleep(SECONDS_TO_ARRIVE * number / n)
        async with Visitor(server.address) as visitor:
            await visitor.open()
            while time.monotonic() < until:
                await asyncio.sleep(pause * rng.uniform(0.5, 1.5))
                text = str(rng.random())
                answer = await visitor.type("sentence", text)
                measured.note("floor", answer)
                measured.check.n += 1
                measured.check.mixed += text not in answer.texts

    await _together(server, measured, [visit(number) for number in range(n)])
    return measured


async def _together(server: Server, measured: Measured, visits: list[Awaitable[None]]) -> None:
    async def watch() -> None:
        while True:
            measured.megabytes.append(server.megabytes)
            await asyncio.sleep(5)

    before, watching = server.cpu_seconds, asyncio.create_task(watch())
    await asyncio.gather(*visits)
    watching.cancel()
    with suppress(asyncio.CancelledError):
        await watching
    measured.megabytes.append(server.megabytes)
    measured.cpu_seconds = server.cpu_seconds - before


def percentiles(seconds: list[float]) -> tuple[float, float, float]:
    """Return p50, p95 and p99, in milliseconds."""
    cuts = statistics.quantiles([*seconds, *seconds[:1]], n=100, method="inclusive")
    return 1e3 * cuts[49], 1e3 * cuts[94], 1e3 * cuts[98]


def report(found: Measured, floor: Measured) -> None:
    """Print all of it."""
    heads = f"{'':16}{'n':>7}{'p50':>8}{'p95':>8}{'p99':>8}{'goal':>8}{'p95 to floor':>14}"
    print(f"{heads}   ms")
    _p50, lowest, _p99 = percentiles(floor.seconds["floor"])
    rows = {**found.seconds, "one line (floor)": floor.seconds["floor"]}
    for name in sorted(rows, key=lambda each: (each not in GOALS, each)):
        p50, p95, p99 = percentiles(rows[name])
        goal = f"≤ {GOALS[name]}" if name in GOALS else ""
        times = f"{p50:8.0f}{p95:8.0f}{p99:8.0f}"
        print(f"{name:16}{len(rows[name]):7}{times}{goal:>8}{p95 / lowest:14.1f}")
    for name, each in (("the class", found), ("one line", floor)):
        cpu, memory = 1e3 * each.cpu_seconds / max(1, each.n), each.megabytes
        print(
            f"{name}: {cpu:.1f} ms of the processor for an answer; memory {memory[0]:.0f} MB at "
            f"first, {memory[-1]:.0f} MB in the end, {max(memory):.0f} MB at most"
        )
    check = found.check
    print(f"errors: {sum(found.errors.values())}")
    for text, n in found.errors.most_common():
        print(f"  {n} × {text}")
    print(f"answers looked into: {check.n}, of which belong to another: {check.mixed}")
    for text in check.faults[:10]:
        print(f"  {text}")
    print(
        f"maps computed again: {check.n_anew}, of which are other ones: {check.other}", flush=True
    )


def main() -> None:
    """Put a class under load, then an app of one line, and print both."""
    options = argparse.ArgumentParser()
    options.add_argument("--visitors", type=int, default=50)
    options.add_argument("--minutes", type=float, default=10.0)
    options.add_argument("--pause", type=float, default=2.0, help="seconds between two actions")
    options.add_argument("--replicas", type=int, default=1, help="processes, behind a proxy")
    given = options.parse_args()
    with serve_class(given.visitors, replicas=given.replicas) as server:
        found = asyncio.run(of_class(server, given.minutes, given.pause))
    computed_anew(found.check)
    minutes = min(given.minutes, 2.0)
    with serve_alone(ROOT / "benchmarks" / "one_line_app.py") as server:
        floor = asyncio.run(of_floor(server, given.visitors, minutes, given.pause))
    report(found, floor)


if __name__ == "__main__":
    main()

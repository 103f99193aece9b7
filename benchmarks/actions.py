"""What each action of a visitor costs the processor, one action after the other.

    python -m benchmarks.actions

Times of answers hide work that runs beside the drawing, and meet whatever else the machine does;
the processor's time hardly does. With fifty visitors it is what decides how long they wait. To
compare two versions, run it in a checkout of each.
"""

import asyncio
import statistics
from collections import defaultdict
from collections.abc import Awaitable, Callable
from functools import partial

from benchmarks.load import ANIMALS, PLACES, SENTENCE
from benchmarks.served_class import Server, serve_class
from benchmarks.websocket_visitor import Answer, Visitor

ROUNDS, WARM_UP = 13, 3
VIEWS = ("lines", "word", "steps", "maps")
SETTLED = 0.15
"""Seconds after an answer in which its last work is done."""

Ask = Callable[[], Awaitable[Answer]]


def actions(visitor: Visitor, number: int) -> list[tuple[str, Ask]]:
    """Return what a visitor does in one round, with sentences that nobody typed before."""
    place = PLACES[number % len(PLACES)]

    def type_(state: str) -> Ask:
        text = SENTENCE.format(ANIMALS[number % len(ANIMALS)], number, place, state)
        return partial(visitor.type, "sentence", text)

    pick = {"layer": number % 2, "head": number % 4}
    return [
        ("attention", partial(visitor.go_to, "attention")),
        ("sentence: attention", type_("tired")),
        ("head", lambda: visitor.report("maps", "pick", pick)),
        *((f"view: {name}", partial(visitor.choose, "view", name)) for name in VIEWS),
        ("decoding", partial(visitor.go_to, "decoding")),
        ("sentence: decoding", type_("wide")),
        ("step", lambda: visitor.report("stepper", "step", {"step": 2 + number % 5})),
        ("heads", partial(visitor.go_to, "heads")),
        ("sentence: heads", type_("old")),
        *((page, partial(visitor.go_to, page)) for page in ("lessons", "training", "glossary")),
    ]


async def measure(server: Server) -> dict[str, list[float]]:
    """Return action → milliseconds of the processor in each round."""
    found = defaultdict[str, list[float]](list)
    async with Visitor(server.address, cookie=server.cookies[0]) as visitor:
        await visitor.open()
        for number in range(ROUNDS):
            for name, ask in actions(visitor, number):
                before = server.cpu_seconds
                await ask()
                await asyncio.sleep(SETTLED)
                found[name].append(1e3 * (server.cpu_seconds - before))
    return found


def main() -> None:
    """Print what each action costs."""
    with serve_class(1) as server:
        found = asyncio.run(measure(server))
    print(f"{'':24}{'median':>8}{'least':>8}   ms of the processor")
    for name, times in found.items():
        after = times[WARM_UP:]
        print(f"{name:24}{statistics.median(after):8.0f}{min(after):8.0f}")


if __name__ == "__main__":
    main()

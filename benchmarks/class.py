"""The memory of a class over time: 50 visitors, 1,000 sentences, then six large models in turn.

    python -m benchmarks.class [--visitors 50] [--sentences 1000] [--memory 1000]

Every visitor types sentences that nobody else types, as fast as they are answered, and looks at
each of them on two pages. Then a teacher opens six models of 44 million random weights, one after
the other. The class is told to keep `--memory` megabytes (`memory_megabytes` in `class.toml`);
beside that stands what the process takes before anybody comes, and what a visitor takes.
"""

import argparse
import asyncio
import json
import shutil
import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import count, product
from pathlib import Path

from benchmarks.load import ANIMALS, PLACES, SENTENCE, STATES
from benchmarks.served_class import ROOT, Server, serve_class
from benchmarks.websocket_visitor import Visitor
from core.model import Transformer
from core.runs.checkpoint import newest_checkpoint, save_weights
from core.runs.run import read_settings

N_MODELS = 6
LARGE = {"d_model": 512, "d_ff": 2048, "n_heads": 8, "n_encoder_layers": 6, "n_decoder_layers": 6}
OF_VISITOR = 5
"""Megabytes that a visit takes at most, with its part of what the memory's own order costs."""


class Watch:
    """Prints how much a server has in memory, beside how much it may have."""

    def __init__(self, server: Server, most: float) -> None:
        self.server, self.most, self.began = server, most, time.monotonic()
        self.highest = 0.0

    def tell(self, what: str) -> None:
        """Print a line."""
        found = self.server.megabytes
        self.highest = max(self.highest, found)
        seconds = time.monotonic() - self.began
        print(f"{seconds:6.0f} s   {what:28}{found:8.0f} MB   of {self.most:.0f}", flush=True)


async def of_sentences(server: Server, watch: Watch, n: int) -> None:
    """Let all visitors type, as fast as they are answered."""
    typed = count(1)

    async def visit(number: int, cookie: str) -> None:
        sentences = _sentences(number)
        async with Visitor(server.address, cookie=cookie) as visitor:
            await visitor.open()
            while (done := next(typed)) <= n:
                await visitor.type("sentence", next(sentences))
                await visitor.go_to("decoding")
                await visitor.go_to("")
                if done % 100 == 0:
                    watch.tell(f"{done:,} sentences")

    # The teacher does not type.
    await asyncio.gather(*(visit(*each) for each in enumerate(server.cookies[:-1])))


def _sentences(number: int) -> Iterator[str]:
    for animal, place, state in product(ANIMALS, PLACES, STATES):
        yield SENTENCE.format(animal, number, place, state)


async def of_models(server: Server, watch: Watch, names: list[str]) -> None:
    """Open one model after the other."""
    async with Visitor(server.address, cookie=server.cookies[-1]) as visitor:
        await visitor.open()
        for name in names:
            await visitor.choose("model", name)
            await visitor.go_to("decoding")
            await visitor.go_to("")
            watch.tell(name)


def large_models(runs: Path) -> list[str]:
    """Put models of random weights into the folder of a visitor; return their names."""
    beside = next(iter((runs / ".class").iterdir()))
    small = ROOT / "gallery" / "copy"
    model = replace(read_settings(small).model, **LARGE)
    for number in range(N_MODELS):
        path = beside / f"large-{number}"
        shutil.copytree(small, path)
        told = json.loads((path / "run.json").read_text())
        told["model"] = model.to_dict()
        (path / "run.json").write_text(json.dumps(told))
        weights = newest_checkpoint(path)
        assert weights is not None
        save_weights(Transformer(model), weights)
    return [f"runs/{beside.name}/large-{number}" for number in range(N_MODELS)]


def main() -> None:
    """Print the memory of a class over time."""
    options = argparse.ArgumentParser()
    options.add_argument("--visitors", type=int, default=50)
    options.add_argument("--sentences", type=int, default=1000)
    options.add_argument("--memory", type=int, default=1000)
    given = options.parse_args()
    kept = f"[limits]\nmemory_megabytes = {given.memory}\n"
    with serve_class(given.visitors, kept, teacher=True) as server:
        names = large_models(server.runs)
        most = server.megabytes + given.memory + OF_VISITOR * given.visitors
        watch = Watch(server, most)
        watch.tell("nobody has come")
        asyncio.run(of_sentences(server, watch, given.sentences))
        watch.tell("all have left")
        asyncio.run(of_models(server, watch, names))
        for seconds in (5, 5):
            time.sleep(seconds)
            watch.tell("nobody is there")
    print(f"at most {watch.highest:.0f} MB of {watch.most:.0f}")


if __name__ == "__main__":
    main()

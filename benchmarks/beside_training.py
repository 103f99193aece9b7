"""The app beside a training on the same machine: how long the server takes for a round trip.

    python -m benchmarks.beside_training

One head after the other is asked for on the attention page, through the websocket that a browser
would use, first while nothing else runs, then while a training of the `small` preset runs as a
process of its own, as the training page starts it. A round trip is the time from the message to the
one that says that the page has been run. Prints medians and 95th percentiles of both in one run.
"""

import shutil
import statistics
import time
from pathlib import Path

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import ClientConnection, connect

from core.runs.folder import TRAINING
from core.runs.metrics import read_rows
from core.tasks import TASKS
from core.training.prepare import prepare_run
from core.training.presets import PRESETS
from core.training.process import situation, start
from tests.browser.conftest import served

ROOT = Path(__file__).resolve().parents[1]
RUN = ROOT / "runs" / "benchmark-beside-training"
CLICKS, WARM_UP, PAUSE = 100, 10, 0.2


def main() -> None:
    """Measure without and with a training."""
    with served(ROOT / "app.py") as address:
        alone = asked(address)
        shutil.rmtree(RUN, ignore_errors=True)
        prepare_run(RUN, TASKS["translate"], "small", PRESETS["small"], "python -m core train …")
        start(RUN)
        try:
            while not read_rows(RUN):
                time.sleep(0.2)
            beside = asked(address)
            rows = read_rows(RUN)
        finally:
            TRAINING.ask(RUN, "pause")
            while situation(RUN).alive:
                time.sleep(0.2)
            shutil.rmtree(RUN)
    print(f"{'':24}{'median':>10}{'p95':>10}   of {CLICKS} clicks")
    for name, seconds in (("nothing else", alone), ("beside a training", beside)):
        p95 = statistics.quantiles(seconds, n=20)[-1]
        print(f"{name:24}{1e3 * statistics.median(seconds):7.1f} ms{1e3 * p95:7.1f} ms")
    speed = statistics.median(row["tokens_per_second"] for row in rows[2:])
    print(f"the training meanwhile: {speed:,.0f} tokens/s")


def asked(address: str, cookie: str = "") -> list[float]:
    """Return the seconds of each round trip; between two of them a person looks."""
    seconds = []
    with connected(address, cookie) as socket:
        for click in range(WARM_UP + CLICKS):
            seconds.append(round_trip(socket, f"model=translate-guided&head={click % 4}"))
            time.sleep(PAUSE)
    return seconds[WARM_UP:]


def connected(address: str, cookie: str = "") -> ClientConnection:
    """Return a visit to the app as a browser begins it, in a class with a visitor's cookie."""
    url = f"{address.replace('http', 'ws')}/_stcore/stream"
    headers = {"Cookie": cookie}
    return connect(url, subprotocols=["streamlit"], max_size=None, additional_headers=headers)


def round_trip(socket: ClientConnection, query: str) -> float:
    """Ask for the page, and wait until it has been run."""
    message = BackMsg()
    message.rerun_script.query_string = query
    started = time.perf_counter()
    socket.send(message.SerializeToString())
    while True:
        answer = ForwardMsg.FromString(socket.recv())
        if answer.WhichOneof("type") == "script_finished":
            return time.perf_counter() - started


if __name__ == "__main__":
    main()

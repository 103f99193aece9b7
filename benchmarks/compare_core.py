"""Two checkouts of `core` against each other: the same logits, and how fast each is.

Run from the repository root: python -m benchmarks.compare_core OLD NEW

Each checkout computes in a process of its own with the old one's gallery: the logits of the first
held-out sentences, the seconds of a few training steps, and of decoding sentences greedily and by
beam search. The processes take turns. Printed are whether every logit has the same bits, the
medians of 10, their ratio, and that of the fastest of 10, which other programs disturb least.
Seconds are those of the processor, on one thread: what waits for other programs does not count.
"""

import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

ROUNDS = 10
RUNS = ("copy", "translate-guided", "everyday")

# Runs in each checkout: nothing in it may be newer than the older one.
WORK = """
import hashlib, json, sys, time
from pathlib import Path
import torch
from core.batch import collate, encode_samples
try:
    from core.decoding.beam import Beam
    from core.decoding.generate import generate
except ImportError:
    from core.decoding.beam import decode_by_beam
    from core.decoding.greedy import decode_greedily as generate
    Beam = None
from core.evaluate.loss import token_loss
from core.model import build
from core.runs.run import load_run
from core.tasks import TASKS

torch.set_num_threads(1)
gallery, names = Path(sys.argv[1]), sys.argv[2:]
bits = {}
for name in names:
    run = load_run(gallery / name)
    samples = TASKS[run.settings.task].held_out_samples(32)
    batch = collate(encode_samples(run.tokenizer, samples))
    with torch.inference_mode():
        logits = run.model(batch.source_BS, batch.fed_BT)
    bits[name] = hashlib.sha256(logits.numpy().tobytes()).hexdigest()
model = build(run.settings.model, 0).train()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-4)
torch.manual_seed(0)

def step():
    loss = token_loss(model(batch.source_BS, batch.fed_BT), batch.labels_BT, 0.1)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

def seconds(act, times):
    act()
    began = time.process_time()
    for _ in range(times):
        act()
    return time.process_time() - began

found = {"bits": bits, "20 training steps": seconds(step, 20)}
bits["trained"] = hashlib.sha256(
    b"".join(each.detach().numpy().tobytes() for each in model.parameters())
).hexdigest()
with torch.inference_mode():
    greedy = lambda: generate(run.model, batch.source_BS)
    bits["greedy"] = hashlib.sha256(repr(greedy()).encode()).hexdigest()
    found["32 sentences decoded greedily, 20 times"] = seconds(greedy, 20)
    beam = lambda: generate(run.model, one, Beam(4)) if Beam else decode_by_beam(run.model, one, 4)
    one = batch.source_BS[:1, : int((batch.source_BS[0] != 0).sum())]
    found["a sentence by a beam of 4, 50 times"] = seconds(beam, 50)
print(json.dumps(found))
"""


def main() -> None:
    """Measure both in turn and print them as a table."""
    checkouts = [Path(name).resolve() for name in sys.argv[1:3]]
    if len(checkouts) != 2:
        sys.exit(__doc__)
    found: list[list[dict[str, object]]] = [[], []]
    for number in range(ROUNDS):
        # Who comes first meets a quieter computer: they change places.
        order = (0, 1) if number % 2 else (1, 0)
        for at in order:
            found[at].append(_measured(checkouts[at], checkouts[0] / "gallery"))
    old, new = found
    for name, bits in old[0]["bits"].items():
        print(f"{name:44}{'same bits' if bits == new[0]['bits'][name] else 'DIFFERENT BITS'}")
    for name in (name for name in old[0] if name != "bits"):
        before, after = (statistics.median(each[name] for each in side) for side in (old, new))
        fastest = min(each[name] for each in new) / min(each[name] for each in old)
        print(
            f"{name:44}{1e3 * before:8.0f} ms{1e3 * after:8.0f} ms{after / before:8.3f} ×"
            f"{fastest:10.3f} ×"
        )


def _measured(checkout: Path, gallery: Path) -> dict[str, object]:
    done = subprocess.run(
        [sys.executable, "-c", WORK, str(gallery), *RUNS],
        cwd=checkout,
        env={**os.environ, "PYTHONPATH": str(checkout)},
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


if __name__ == "__main__":
    main()

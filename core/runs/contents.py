"""What of a run's folder is given away: all that using its model and training it further needs.

The tokens of a corpus that is too large for memory are not: such a run goes on only where it is.
What only the process that trains has a use for stays behind: the lock, what it is asked, what it
said, the weights for whoever watches.
"""

import json
import re
from pathlib import Path

from core.runs.files import CHECKSUMS
from core.runs.run import NOTICE, OPENED
from core.runs.settings import LINES
from core.runs.weights import CHECKPOINTS, WEIGHT_FOLDERS
from core.tasks.corpus import FILES

STATUS, METRICS, EVALUATION = "status.json", "metrics.jsonl", "evaluation.json"
HEADS = "heads.json"
"""What silencing each head costs, as `core.studies.effects.stored` writes it."""
PRUNING = "pruning.json"
"""What is left as one head after the other goes, as `core.studies.effects.stored` says."""
TEXTS = (
    "run.json",
    "tokenizer.json",
    *OPENED,
    "words.txt",
    NOTICE,
    *FILES.values(),
    LINES,
    METRICS,
    EVALUATION,
    HEADS,
    PRUNING,
    STATUS,
    CHECKSUMS,
)
# As `core.runs.weights.weights_file` writes it, so that a step has one name.
_STEP = "step-([0-9]{8}|[1-9][0-9]{8,11})"
_WEIGHTS = re.compile(rf"({'|'.join(WEIGHT_FOLDERS)})/{_STEP}\.safetensors")
_STATE = re.compile(rf"{CHECKPOINTS}/{_STEP}\.state\.safetensors")
_TOLD = {"state": str, "step": int, "message": str}


def belongs(name: str) -> bool:
    """Say whether a file of a run's folder is given away, by its path in there."""
    return name in TEXTS or is_weights(name) or _STATE.fullmatch(name) is not None


def is_weights(name: str) -> bool:
    """Say whether a file of a run's folder holds weights, by its path in there."""
    return _WEIGHTS.fullmatch(name) is not None


def weights_of(path: Path) -> list[str]:
    """List a run's weights, and for each what training needs to go on from it, if it is there."""
    names = []
    for folder in WEIGHT_FOLDERS:
        for file in sorted((path / folder).glob("step-*.safetensors")):
            if is_weights(f"{folder}/{file.name}"):
                names.append(f"{folder}/{file.name}")
                state = file.with_suffix(".state.safetensors")
                # Asked for by itself: it is written first and removed last, so that it is there
                # whenever its weights are.
                if folder == CHECKPOINTS and state.exists():
                    names.append(f"{folder}/{state.name}")
    return names


def told_status(content: bytes) -> bytes:
    """Return status.json without what speaks of a process on somebody's machine.

    A process id that came with a stranger's file would be a process of ours.
    """
    try:
        status = json.loads(content)
    except (ValueError, RecursionError):
        status = None
    if not isinstance(status, dict):
        status = {}
    told = {name: status[name] for name, kind in _TOLD.items() if type(status.get(name)) is kind}
    return (json.dumps(told, indent=2, ensure_ascii=False) + "\n").encode()


def whole_lines(content: bytes) -> bytes:
    """Return the lines that end; the last one may be half written."""
    return content[: content.rfind(b"\n") + 1]

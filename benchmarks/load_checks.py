"""Whose answer it is: what `load` finds in the content of every one of them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

import numpy as np
import numpy.typing as npt

from benchmarks.websocket_visitor import Answer
from core.heads import Kind
from core.inspection import inspect_sentence
from core.runs.run import load_run
from pages.frame import cached
from tests.viz.unpacked import unframed
from tests.viz.unpacked import unpack_maps as unpack

NUMBER = re.compile(r"\bnumber[ +](\d+)")
"""Of a visitor: it stands in each of her sentences, also in a link."""
_SPACE = "␣"
"""How a space is shown that begins a token."""
MOST_KEPT = 300
"""So many maps are computed again."""


@dataclass(slots=True)
class Maps:
    """What was shown of a sentence."""

    kind: str
    weights: npt.NDArray[np.float32]


@dataclass(slots=True)
class Check:
    """What was found in the answers."""

    n: int = 0
    mixed: int = 0
    faults: list[str] = field(default_factory=list)
    maps: dict[str, Maps] = field(default_factory=dict)
    n_anew: int = 0
    other: int = 0

    def look(self, answer: Answer, number: int, sentence: str, chose: Mapping[str, object]) -> None:
        """Look into an answer.

        Args:
            answer: What came.
            number: Of the visitor who asked.
            sentence: The last one that she typed; empty where she typed none yet.
            chose: What the link in the answer must say of her last choice.
        """
        self.n += 1
        found = [*_of_others(answer, number), *_of_link(answer, sentence, chose)]
        for name, payload in answer.payloads.items():
            header, _ = unframed(payload)
            if sentence and (shown := _words(header)) and shown != sentence.replace(" ", ""):
                found.append(f"{name} shows {shown!r} to whoever typed {sentence!r}")
            if sentence and name == "plane_maps" and len(self.maps) < MOST_KEPT:
                read = unpack(payload)
                self.maps[sentence] = Maps(read.kind, read.weights)
        self.mixed += bool(found)
        self.faults += found


def _of_others(answer: Answer, number: int) -> list[str]:
    said = "\n".join((*answer.codes, *answer.texts))
    owners = {int(each) for each in NUMBER.findall(said)} - {number}
    return [f"visitor {number} is shown what {each} typed" for each in sorted(owners)]


def _of_link(answer: Answer, sentence: str, chose: Mapping[str, object]) -> list[str]:
    """Return what the link and the Python of a view say wrongly."""
    links = [parse_qs(urlsplit(code).query) for code in answer.codes if code.startswith("http")]
    wanted = {name: str(value) for name, value in chose.items()}
    for link in links:
        if sentence and "sentence" in link:
            wanted["sentence"] = sentence
        said = {name: link.get(name, [""])[-1] for name in wanted}
        if said != wanted:
            return [f"the link says {said} instead of {wanted}"]
    python = [code for code in answer.codes if "import" in code and "sentence = " in code]
    return [f"no {sentence!r} in {code!r}" for code in python if sentence and sentence not in code]


def _words(header: Mapping[str, Any]) -> str:
    """Return the words of the sentence that a picture shows; empty where it shows none."""
    labels = header.get("source", [])
    if not labels or not isinstance(labels[0], list):
        return ""
    return "".join(text.strip(_SPACE) for text, flags in labels if not flags & 1)


def computed_anew(check: Check) -> None:
    """Compute what was shown as maps again with the model, and count what differs."""
    name = next(iter(cached.run_paths()))
    run = load_run(cached.run_paths()[name])
    for sentence, shown in check.maps.items():
        check.n_anew += 1
        found = inspect_sentence(run, sentence)
        sites = found.sites_of(Kind(shown.kind))
        weights = np.stack([found.attention[site].weights_HQK for site in sites])
        same = weights.shape == shown.weights.shape and np.allclose(
            weights, shown.weights, atol=1 / 500
        )
        check.other += not same

"""Models of another kind than the gallery's: barely trained here, or opened."""

import json
from dataclasses import replace

from core.studies.opening.opening import open_model
from core.tasks import PREDICTS, TASKS
from core.training import trainer
from core.training.prepare import prepare_run
from core.training.presets import with_settings
from tests.core.conftest import MINIATURE, draw_few
from tests.core.library.folders import write_tiny

OPENED = ("bert", "bert without a head", "gpt2", "llama3", "t5", "marian")
"""Models that were trained elsewhere."""
LIBRARY = ("Mistral", "Roberta", "Bart")
"""Models that the `transformers` library computes."""
LIKE = ("like bert", "like gpt2", "like llama", "like t5")
"""Models that are put together as those of another paper."""
CHANGED = {
    "post-norm, untied, learned, one layer, one head": {
        **{"n_encoder_layers": 1, "n_decoder_layers": 1, "n_heads": 1, "d_k": 3, "d_v": 7},
        **{"norm": "post", "positions": "learned", "tied": False, "max_positions": 40},
    },
    "one matrix, no norm, no output projection": {
        **{"shared": "qkv", "norm_kind": "none", "output_projection": False}
    },
    "attention alone, nothing added, nothing projected": {
        **{"feed_forward": False, "residual": False, "projections": False}
    },
    "parallel, its length predicted": {"decoder": "parallel", "length": "predicted"},
    "odd width, a tagger": {
        **{"positions": "learned", "d_model": 15, "d_k": 4, "d_v": 4, "max_positions": 20},
        "cross": "own",
    },
    "an average and fixed weights": {"encoder_mixing": "average", "decoder_mixing": "fixed"},
    "one stack alone": {"encoder_mixing": "attention", "decoder_mixing": "none"},
    "convolutions": {"encoder_mixing": "convolution", "decoder_mixing": "convolution"},
    "GRU with attention": {
        **{"encoder_mixing": "gru_two_way", "decoder_mixing": "gru", "positions": "none"},
        **{"n_heads": 1, "d_k": 0, "d_v": 0},
    },
    "parallel decoder": {"decoder": "parallel"},
    "LSTM, fixed vector": {**{"encoder_mixing": "lstm", "decoder_mixing": "lstm", "cross": "none"}},
    "linear attention, BatchNorm, all layers read": {
        **{"scores": "linear", "norm_kind": "batch", "norm": "post", "memory": "mixed"}
    },
    "additive attention, first layer read": {"scores": "additive", "memory": "first"},
    "the paper's, its pairs gone": {},
}
LABELLING = {"a tag for each word": "tag", "a class for the sentence": "classify"}
KINDS = (*OPENED, *LIBRARY, *LIKE, *CHANGED, *LABELLING)


def make(kind, runs, patch):
    """Make a run of a kind, called `run`, in a folder.

    Args:
        kind: One of `KINDS`, but none of `OPENED`: for those there is `opened_path`.
        runs: The folder.
        patch: A MonkeyPatch, for a task that draws few examples.
    """
    if kind in LIBRARY:
        write_tiny(runs / ".models" / kind, kind)
        list(open_model(str(runs / ".models" / kind), runs / "run"))
        return
    preset = replace(MINIATURE, training=replace(MINIATURE.training, steps=2))
    task = LABELLING.get(kind, "copy")
    if kind in LABELLING:
        preset = with_settings(preset, {"predicts": PREDICTS[task]})
    elif kind in LIKE:
        preset = with_settings(preset, {"like": kind.removeprefix("like ")})
    else:
        preset = replace(preset, model=replace(preset.model, **CHANGED[kind]))
    draw_few(patch)
    prepare_run(runs / "run", TASKS[task], "miniature", preset, "python -m core …")
    for _ in trainer.train_run(runs / "run"):
        pass
    if kind.endswith("pairs gone"):
        file = runs / "run" / "run.json"
        file.write_text(json.dumps(json.loads(file.read_text()) | {"task": "pairs.tsv"}))

"""What a browser computes is what PyTorch computes: tokens, logits, and the picture of a pass."""

import json
import random
import subprocess
from dataclasses import replace

import numpy as np
import pytest
import torch

from core.batch import one_row
from core.decoding.sentence import translate
from core.decoding.step import mask_special_tokens
from core.heads import Head
from core.inspection import inspect_sentence
from core.installed import GALLERY
from core.model import build
from core.runs.browser_model import browser_model
from core.runs.run import RunError, load_run
from core.studies.forward_pass import forward_pass
from core.studies.heads.findings import task_of
from pages.frame.passes import on_reference, whole_of
from tests.viz.test_scripts import NODE
from tests.viz.unpacked import unframed
from viz.component.payload import framed
from viz.whole.whole import pack

SCRIPT = __file__.replace("test_live.py", "answers.mjs")
TIRED = "The animal didn't cross the street because it was too tired."
SIGNS = (
    *"abcdeéïñÀß'’`\"-–.,!?…0123 \t\n½²",
    *("n't", "l'", "'s", " isn’t ", "\u00a0", "\u200b", "\u200d", "\ufeff", "\u0301", "\u00ad"),
    *(
        "老",
        "师",
        "ひ",
        "カ",
        "ー",
        "ไ",
        "ท",
        "ำ",
        "ก็",
        "မြ",
        "န်",
        "ာ",
        "ខ្មែ",
        "្",
        "ລາ",
        "한",
        "국",
    ),
    *("नम", "स्ते", "سلام", "‌", "ש", "👩‍👩‍👧", "1️⃣", "🇫🇷", "\ud800", "ﬁ", "Ω", "_", "〆", "々", "。"),
)


@pytest.fixture(scope="module")
def ask(tmp_path_factory):
    """Return a function that asks the scripts about a run's model."""
    folder = tmp_path_factory.mktemp("live")

    def asked(run, *questions):
        model = folder / f"{run.name}.bin"
        if not model.exists():
            found = browser_model(run)
            model.write_bytes(framed(found.header, [*found.tensors, found.words]))
        files = [folder / "questions.json", folder / "answers.json"]
        files[0].write_text(json.dumps(questions))
        subprocess.run([NODE, SCRIPT, model, *files], check=True)
        return json.loads(files[1].read_text())

    return asked


def sentences(run, n):
    """Return held-out sources of a run's task."""
    source = random.Random(7)
    task = task_of(run)
    return [task.sample(source).source for _ in range(n)]


def logits_of(run, source, fed):
    with torch.inference_mode():
        logits_BTV = run.model(one_row(source), one_row(fed))
    said_TV = mask_special_tokens(logits_BTV[0], run.model.config)
    return [row_V[row_V.isfinite()].tolist() for row_V in said_TV]


def assert_same_logits(ask, run, texts):
    passes = [translate(run, text) for text in texts]
    questions = [("logits", {"source": each.source_ids, "fed": each.fed_ids}) for each in passes]
    for each, found in zip(passes, ask(run, *questions), strict=True):
        wanted = logits_of(run, each.source_ids, each.fed_ids)
        assert np.abs(np.array(found) - np.array(wanted)).max() < 1e-4


@pytest.mark.parametrize("name", ["translate", "copy-learned", "residuals-no_feed_forward"])
def test_logits_are_those_of_pytorch(ask, name):
    run = load_run(GALLERY / name)
    assert_same_logits(ask, run, sentences(run, 3))


@pytest.mark.parametrize("tied", ["none", "target", "embeddings"])
def test_so_are_those_of_other_kinds_of_model(ask, tied):
    run = load_run(GALLERY / "copy")
    config = replace(
        run.model.config,
        **{"norm_kind": "rms", "norm": "post", "score_scale": "none", "embedding_scale": False},
        **{"positions": "none", "attention_bias": False, "d_k": 10, "d_v": 7, "tied": tied},
    )
    made = replace(run, model=build(config, 1).eval(), path=GALLERY / tied)
    assert_same_logits(ask, made, sentences(run, 2))


@pytest.mark.slow
def test_logits_of_200_sentences_are_those_of_pytorch(ask):
    run = load_run(GALLERY / "everyday")
    assert_same_logits(ask, run, sentences(run, 200))


def test_tokens_are_those_of_the_tokenizer(ask):
    run = load_run(GALLERY / "translate")
    source = random.Random(3)
    texts = ["".join(source.choices(SIGNS, k=source.randint(1, 12))) for _ in range(2000)]
    texts = ["", TIRED, *texts]
    for text, found in zip(texts, ask(run, *(("tokens", text) for text in texts)), strict=True):
        ids = (*run.tokenizer.encode(text).ids, *run.tokenizer.ends)
        assert tuple(found["ids"]) == ids, ascii(text)
        assert found["text"] == run.tokenizer.decode(ids), ascii(text)
        words = run.tokenizer.word_texts(ids)
        tokens = run.tokenizer.describe(ids)
        assert [each[0] for each in found["words"]] == [token.word for token in tokens], ascii(text)
        assert [each[2] for each in found["words"]] == [token.text for token in tokens]
        for word, said, _shown in found["words"]:
            # How signs that cannot be seen are written makes no difference to known words.
            assert said == words[word] or words[word] not in run.known_words


@pytest.mark.parametrize(
    ("name", "silenced"),
    [("translate", []), ("translate", ["encoder.2.self:0"]), ("copy-learned", [])],
)
def test_the_picture_is_that_of_the_app(ask, name, silenced):
    run = load_run(GALLERY / name)
    task = task_of(run)
    sentence = task.examples[0].source
    heads = tuple(map(Head.parse, silenced))
    inspection = inspect_sentence(run, sentence, silenced=heads)
    reference = task.reference(inspection.translation.source)
    words = [word.lower() for word in inspection.source_words]
    at = next((at for at, word in enumerate(words) if word in task.pronouns), None)
    focus = at and [token.word for token in inspection.source_tokens].index(at)
    forced = forward_pass(run, inspect_sentence(run, sentence, reference, heads), heads)
    whole = whole_of(run, forward_pass(run, inspection, heads), "", focus)
    whole = replace(whole, forced=on_reference(run, forced), silenced=silenced)
    wanted, arrays = unframed(pack(whole, silences=True))
    question = {"sentence": sentence, "reference": reference, "silenced": silenced}
    question |= {"pronouns": sorted(task.pronouns), "like": wanted}
    [found] = ask(run, ("frame", question))
    for own, other in zip(found["arrays"], arrays, strict=True):
        assert np.abs(np.array(own) - other.astype(int)).max() <= 2
    for part in ("content", "arrays"):
        wanted.pop(part), found["header"].pop(part, None)
    assert_close(found["header"], wanted)


def assert_close(found, wanted):
    """Fail unless two values of JSON are alike, numbers nearly so."""
    if isinstance(wanted, float):
        assert found == pytest.approx(wanted, rel=1e-3, abs=2e-3)
    elif isinstance(wanted, dict):
        assert found.keys() == wanted.keys()
        for name, value in wanted.items():
            assert_close(found[name], value)
    elif isinstance(wanted, list):
        assert len(found) == len(wanted)
        for own, value in zip(found, wanted, strict=True):
            assert_close(own, value)
    else:
        assert found == wanted


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("copying", "pointer: True"),
        ("parallel", "decoder: parallel"),
        ("bottleneck-fixed", "gru"),
        ("digits", "one stack alone"),
    ],
)
def test_a_model_that_no_browser_computes_is_refused_by_name(name, part):
    with pytest.raises(RunError, match=part):
        browser_model(load_run(GALLERY / name))

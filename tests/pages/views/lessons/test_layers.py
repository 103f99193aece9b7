import numpy as np
import pytest

from core.decoding.sentence import translate
from core.heads import Site
from core.model import Step
from pages.frame.language import plain
from tests.pages.conftest import chart_rows, said, send
from tests.pages.views.lessons.conftest import TIRED, panels


def table(at):
    return at.table[0].value


def test_at_its_last_depth_the_lens_says_what_the_model_says(open_lesson, run):
    at, _shown = open_lesson("layers")
    [panel] = panels(at)
    fed = [token.text for token in run.tokenizer.describe(translate(run, TIRED).fed_ids)]
    assert [label.text for label in panel.columns.labels] == fed
    assert list(panel.texts[-1]) == [*fed[1:], "EOS"]
    # The embedding of a tied model says what it was fed, which is grey: it only repeats.
    assert list(panel.texts[0])[1:] == fed[1:]
    repeats = [[text == own for text, own in zip(row, fed, strict=True)] for row in panel.texts]
    assert (~panel.visible[:-1]).tolist() == repeats[:-1]
    assert panel.visible[-1].all()
    shares = table(at).iloc[:, 2].tolist()
    # Markdown would make a quotation of "> 99.999 %".
    assert any(share.startswith("&#62;") for share in shares)


def test_a_guess_that_is_new_in_the_last_layer_comes_after_the_word_fed(open_lesson):
    query = {"model": "everyday", "sentence": "The cow fell because it was old."}
    _at, shown = open_lesson("layers", **query, lens_position="6")
    assert "**elle** only after layer 1, the last" in shown.seen
    fed = plain("qu'")
    assert f"until then it only repeats **{fed}**" in shown.seen


def test_a_click_into_the_lens_tabulates_that_position(open_lesson):
    at, _shown = open_lesson("layers")
    send(at, "pick", {"panel": 0, "row": 0, "column": 11})
    assert at.selectbox(key="lens_position").value == 11
    frame = table(at)
    assert "était" in frame.columns[3]
    assert frame.iloc[-1, 1] == "était"
    assert frame.iloc[-1, 4] == 0
    at.text_input(key="sentence").set_value("The cat slept.").run()
    assert at.selectbox(key="lens_position").value < 7


def test_the_line_says_from_which_layer_on_a_word_is_the_best_guess(open_lesson):
    at, shown = open_lesson("layers", lens_position="9")
    guesses = table(at)["best guess"].tolist()
    first = next(i for i in range(len(guesses)) if set(guesses[i:]) == {guesses[-1]})
    where = f"“{table(at)['read after'].tolist()[first]}” on" if first else "the embedding on"
    assert f"the best guess is **{guesses[-1]}** from {where}" in shown.seen


def test_an_encoder_token_that_is_no_longer_itself_says_how_many_are_better(open_lesson):
    at, shown = open_lesson("layers", lens_stack="encoder", lens_position="4")
    before = int(table(at)["more probable tokens"].tolist()[-1])
    assert ("better guess" in shown.seen) == (before > 0)
    assert not before or f" {before:,} other token" in shown.seen


def expected_stream(tensors, stack, measure):
    kinds = ("self", "feed_forward") if stack == "encoder" else ("self", "cross", "feed_forward")
    layers = range(3 if stack == "encoder" else 2)
    sites = [Site(stack, layer, kind) for layer in layers for kind in kinds]
    if measure == "added":
        return [np.linalg.norm(tensors[site, Step.ADDED], axis=-1) for site in sites]
    first = tensors[Site(stack, 0, "embedding"), Step.STREAM_OUT]
    stream = [first, *(tensors[site, Step.STREAM_OUT] for site in sites)]
    norms = [np.linalg.norm(x, axis=-1) for x in stream]
    if measure == "norm":
        return norms
    return [(x * first).sum(-1) / norm / norms[0] for x, norm in zip(stream, norms, strict=True)]


@pytest.mark.parametrize("stack", ["encoder", "decoder"])
@pytest.mark.parametrize("measure", ["norm", "cosine", "added"])
def test_every_measure_of_the_stream_is_the_models_own(open_lesson, tensors, stack, measure):
    query = {"layers_shown": measure, "stream_stack": stack, "stream_position": "3"}
    at, shown = open_lesson("layers", **query)
    wanted = np.array(expected_stream(tensors, stack, measure))
    rows = chart_rows(at)
    mean = [row["y"] for row in rows if row["series"].startswith("mean")]
    own = [row["y"] for row in rows if not row["series"].startswith("mean")]
    np.testing.assert_allclose(own, wanted[:, 3], rtol=1e-5)
    np.testing.assert_allclose(mean, wanted.mean(axis=1), rtol=1e-5)
    assert f"{own[-1]:.3g}**" in shown.seen
    added = np.array(expected_stream(tensors, stack, "added")).mean(axis=1)
    assert f"a vector of length {added.max():.3g} to" in shown.seen


def test_without_residual_connections_no_sublayer_adds(open_lesson, own_random):
    own_random(encoder_mixing="convolution", decoder_mixing="average", residual=False)
    query = {"model": "runs/random", "sentence": "a b c d", "layers_shown": "norm"}
    _at, shown = open_lesson("layers", **query)
    assert "has no residual connections" in shown.seen
    assert "adds most" not in shown.seen


def test_a_model_whose_words_have_no_vectors_of_their_own_shows_its_stream(open_lesson):
    at, shown = open_lesson("layers", model="copying")
    assert shown.name.startswith("stream_")
    assert "guess" not in said(at)

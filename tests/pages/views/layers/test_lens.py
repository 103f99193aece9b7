import pytest

from core.decoding.sentence import translate
from pages.frame.language import plain
from tests.pages.conftest import said, send
from tests.pages.takeable import assert_takeable, computed, numbers_of
from tests.pages.views.layers.conftest import TIRED, panels, table


def test_at_its_last_depth_the_lens_says_what_the_model_says(open_layers, run):
    [panel] = panels(open_layers(layers="lens"))
    translation = translate(run, TIRED)
    fed = run.tokenizer.describe(translation.fed_ids)
    assert [label.text for label in panel.columns.labels] == [token.text for token in fed]
    assert list(panel.texts[-1]) == [token.text for token in fed[1:]] + ["EOS"]
    # The embedding of a tied model says what it was fed.
    assert list(panel.texts[0])[1:] == [token.text for token in fed[1:]]


@pytest.mark.parametrize("stack", ["encoder", "decoder"])
def test_what_a_decoder_only_repeats_is_grey_and_what_it_says_in_the_end_is_not(
    open_layers, run, stack
):
    [panel] = panels(open_layers(layers="lens", lens_stack=stack))
    if stack == "encoder":
        assert panel.visible is None
        return
    fed = [token.text for token in run.tokenizer.describe(translate(run, TIRED).fed_ids)]
    repeats = [[text == own for text, own in zip(row, fed, strict=True)] for row in panel.texts]
    assert (~panel.visible[:-1]).tolist() == repeats[:-1]
    assert panel.visible[-1].all()
    assert repeats[0][1:] == [True] * (len(fed) - 1)
    assert panel.grey_words


def test_a_guess_that_is_new_in_the_last_layer_comes_after_the_word_fed(open_page):
    query = {"layers": "lens", "model": "everyday", "sentence": "The cow fell because it was old."}
    text = said(open_page("layers", **query, lens_position="6"))
    assert "**elle** only after layer 1, the last" in text
    fed = plain("qu'")
    assert f"until then it only repeats **{fed}**" in text


def test_a_click_into_the_lens_tabulates_that_position(open_layers):
    at = open_layers(layers="lens")
    send(at, "pick", {"panel": 0, "row": 0, "column": 11})
    assert at.selectbox(key="lens_position").value == 11
    frame = table(at)
    assert "était" in frame.columns[3]
    assert frame.iloc[-1, 1] == "était"
    assert frame.iloc[-1, 4] == 0


def test_a_position_beyond_a_shorter_sentence_is_let_go(open_layers):
    at = open_layers(layers="lens", lens_position="15")
    at.text_input(key="sentence").set_value("The cat slept.").run()
    assert not at.exception
    assert at.selectbox(key="lens_position").value < 7


@pytest.mark.parametrize("stack", ["encoder", "decoder"])
def test_what_is_taken_away_is_what_is_shown_and_can_be_computed_again(
    open_layers, handed_over, stack
):
    at = open_layers(layers="lens", lens_stack=stack)
    [shown] = handed_over
    assert_takeable(at, shown)
    [panel] = panels(at)
    assert numbers_of(shown, "its_probability") == pytest.approx(panel.values.reshape(-1).tolist())
    assert numbers_of(shown, "best_guess") == [text for row in panel.texts for text in row]
    names = ("its_probability", "its_probability_followed", "more_probable_tokens")
    assert computed(shown) == numbers_of(shown, *names, "entropy", "divergence_from_last")


def test_a_share_just_below_all_is_no_quotation(open_layers):
    shares = table(open_layers(layers="lens")).iloc[:, 2].tolist()
    assert any(share.startswith("&#62;") for share in shares)
    assert not any(share.startswith(">") for share in shares)


def test_the_line_says_from_which_layer_on_a_word_is_the_best_guess(open_layers, run):
    at = open_layers(layers="lens", lens_position="9")
    rows = table(at)
    guesses = rows["best guess"].tolist()
    end = guesses[-1]
    first = next(i for i in range(len(guesses)) if set(guesses[i:]) == {end})
    text = said(at)
    name = rows["read after"].tolist()[first]
    if first:
        assert f"the best guess is **{end}** from “{name}” on" in text
    else:
        assert f"the best guess is **{end}** from the embedding on" in text


def test_an_encoder_token_that_is_no_longer_itself_says_how_many_are_better(open_layers):
    at = open_layers(layers="lens", lens_stack="encoder", lens_position="4")
    before = int(table(at)["more probable tokens"].tolist()[-1])
    text = said(at)
    assert ("better guess" in text) == (before > 0)
    if before:
        assert f" {before:,} other token" in text

import html
import re

import numpy as np
import pytest
import torch

from core.decoding.choosing import Greedy
from core.decoding.sentence import translate
from core.runs.run import load_run
from core.vocabulary import BOS, EOS, PAD
from pages.frame import cached
from pages.frame.language import percent, plain
from pages.views.decoding.seen import of_chances
from tests.pages.conftest import MODEL, ROOT
from tests.pages.views.decoding.conftest import stepper

TIRED = "The animal didn't cross the street because it was too tired."
PLAIN = "The dog slept."


@pytest.fixture
def opened(open_view):
    """Return a function that opens a view and gives its line, with its `Shown`."""

    def opener(view, **query):
        _at, shown = open_view(view, **({"sentence": TIRED} | query))
        return _at, shown, shown.seen.replace("\xa0", " ")

    return opener


def probabilities(sentence, step):
    """Return a step's probabilities in float64, the tokens' texts with them."""
    run = load_run(ROOT / "gallery" / MODEL)
    inspection = cached.inspected(run.path, sentence, whole_words=False)
    ids = inspection.translation.target_ids
    free = cached.decoded(run.path, sentence, Greedy(), {})
    logits = free[step].logits_V.double().numpy()
    shares = np.exp(logits - logits.max())
    return shares / shares.sum(), run.tokenizer, ids


def test_the_stepper_opens_on_the_word_that_the_pronoun_becomes(opened):
    at, _shown, text = opened("steps")
    assert "writes **il** with" in text
    step = int(re.search(r"step \*\*(\d+)", text)[1])
    assert stepper(at).start == step
    shares, tokenizer, ids = probabilities(TIRED, step)
    assert tokenizer.describe([ids[step]])[0].text == "il"
    first, second = np.argsort(-shares)[:2]
    assert f"with {100 * shares[first]:.1f} %" in text or shares[first] > 0.999
    assert f"**{tokenizer.describe([int(second)])[0].text}**" in text


def test_without_a_pronoun_it_opens_on_the_step_at_which_the_model_is_least_sure(opened):
    at, _shown, text = opened("steps", sentence=PLAIN)
    steps = range(len(stepper(at).free.steps))
    margins = [np.diff(np.sort(probabilities(PLAIN, step)[0])[-2:])[0] for step in steps]
    assert stepper(at).start == int(np.argmin(margins))
    assert f"step **{np.argmin(margins)}**" in text


def test_a_word_that_was_put_in_is_named_beside_the_model_s_own(opened):
    at, _shown, text = opened("steps", sentence=PLAIN, overrides="0:9")
    run = load_run(ROOT / "gallery" / MODEL)
    assert stepper(at).start == 0
    assert f"stands **{plain(run.tokenizer.describe([9])[0].text)}**" in text
    assert "its own word is" in text


def test_the_chances_before_and_after_are_said_of_a_later_step(opened):
    run = load_run(ROOT / "gallery" / "everyday")
    free = cached.decoded(run.path, TIRED, Greedy(), {})
    at = next(i for i, each in enumerate(free) if _word(run, each.chosen) == "il")
    elle = next(int(i) for i in free[at].most_probable(9) if _word(run, i) == "elle")
    query = {"model": "everyday", "overrides": f"{at}:{elle}"}
    with_it = cached.decoded(run.path, TIRED, Greedy(), {at: elle})
    for step in (at + 1, at + 3):
        _at, _shown, text = opened("steps", **query, decoding_step=str(step))
        word, other = with_it[step].most_probable(2)
        parts = [
            f"{name} from {percent(float(before[token]))} to **{percent(float(after[token]))}**"
            for before, after in [(free[step].probabilities, with_it[step].probabilities)]
            for token, name in ((word, f"**{_word(run, word)}** goes"), (other, ""))
        ]
        first, second = (part.replace("\xa0", " ").strip() for part in parts)
        assert f"With it {first}, **{_word(run, other)}** {second}." in text
    # At the step itself nothing has come after it.
    assert "With it" not in opened("steps", **query, decoding_step=str(at))[2]
    # Where another word differs before it, too, this one alone is not why.
    both = cached.decoded(
        run.path, TIRED, Greedy(), {0: int(free[0].most_probable(2)[1]), at: elle}
    )
    assert of_chances(None, free, both, {at: elle}, at + 3) == ""


def _word(run, token):
    return run.tokenizer.describe([int(token)])[0].text


def test_where_the_sides_part_is_said(opened):
    assert "agree at every step" in opened("steps", sentence=PLAIN)[2]
    _at, _shown, text = opened("steps", sentence=PLAIN, reference="Le chat dormait.")
    assert "The two sides part at step 1, where the reference says **chat**" in text
    _at, _shown, text = opened("steps", sentence=PLAIN, reference="Le chien")
    assert "where the reference ends" in text
    assert "part" not in opened("steps", sentence="Zz top.", reference="")[2]


@pytest.mark.parametrize("sentence", ["Zz top.", "a"])
def test_what_it_writes_itself_is_no_proof_that_it_makes_no_mistake(opened, sentence):
    _at, _shown, text = opened("steps", sentence=sentence, model="everyday")
    assert "Both sides agree: the reference is what it writes itself." in text
    assert "no mistake" not in text


def test_its_own_words_are_fed_as_it_wrote_them(opened):
    """Split anew, the same text would be other tokens, and both sides would part at once."""
    sentence = "<b>$x_1$*a*</b>"
    run = load_run(ROOT / "gallery" / "everyday")
    translation = translate(run, sentence)
    assert run.tokenizer.encode(translation.text).ids != translation.target_ids
    _at, _shown, text = opened("steps", sentence=sentence, model="everyday")
    assert f"part at step {len(translation.target_ids)}, where the reference ends" in text


def test_where_both_sides_agree_a_mistake_is_offered_that_makes_them_part(opened):
    at, _shown, text = opened("steps")
    assert "agree at every step" in text
    step = int(re.search(r"step \*\*(\d+)", text)[1])
    shares, tokenizer, _ids = probabilities(TIRED, step)
    second = tokenizer.describe([int(np.argsort(-shares)[1])])[0].text
    assert at.button(key="feed_mistake").label.endswith(f"“{second}” at step {step}")
    at.button(key="feed_mistake").click().run()
    assert not at.exception
    [line] = [each.value for each in at.markdown if "What you see" in each.value]
    assert f"stands **{second}**" in line
    assert f"What follows “{second}” " in line
    assert not [each for each in at.button if each.key == "feed_mistake"]


def test_the_output_layer_opens_on_the_same_step_and_says_how_far_two_scores_are(opened):
    steps_at = opened("steps")[0]
    at, shown, text = opened("output", output_temperature="2.0")
    assert at.number_input(key="decoding_step").value == stepper(steps_at).start
    z, p = shown.columns()["z"], shown.columns()["probability"]
    assert f"**{z[0] - z[1]:.2f}** above" in text
    times = float(re.search(r"that is ([\d.e+]+) times", text.replace(",", ""))[1])
    assert times == pytest.approx(p[0] / p[1], rel=0.01)
    assert times == pytest.approx(np.exp((z[0] - z[1]) / 2), rel=0.01)


def test_the_loss_of_a_step_is_added_up_to_that_of_the_whole_reference(opened):
    at, _shown, _text = opened("steps", sentence=PLAIN, decoding_step="2")
    run = load_run(ROOT / "gallery" / MODEL)
    ids = [*run.tokenizer.encode(at.text_input(key="reference").value).ids, EOS]
    source_BS = torch.tensor([[*run.tokenizer.encode(PLAIN).ids, EOS]])
    with torch.no_grad():
        logits_TV = run.model(source_BS, torch.tensor([[BOS, *ids[:-1]]]))[0].double()
    logits_TV[:, [PAD, BOS]] = -torch.inf
    losses = -logits_TV.log_softmax(dim=-1)[range(len(ids)), ids].numpy()
    [said] = [each.value for each in at.caption if each.value.startswith("Loss of step 2:")]
    found = [float(each) for each in re.findall(r"-?\d+\.\d{3}", said)]
    expected = [losses[2], sum(losses[:3]), sum(losses), np.mean(losses)]
    assert found == pytest.approx(expected, abs=6e-4)


def test_the_cost_counts_passes_and_cells(opened):
    _at, shown, text = opened("cost", sentence=PLAIN)
    n = len(shown.columns()["step"])
    kept = n * (n + 1) // 2
    anew = sum((row + 1) * (n - row) for row in range(n))
    assert f"takes **{n}** passes of the decoder, training **1**" in text
    assert f"compute {kept} cells" in text
    assert f"without, {anew}: {anew / kept:.1f} ×" in text


def test_the_tree_says_what_was_best_and_how_many_were_dropped(opened):
    _at, shown, text = opened("tree", sentence=PLAIN)
    columns = shown.columns()
    done = [i for i, finished in enumerate(columns["finished"]) if finished]
    best = max(done, key=lambda i: columns["score"][i])
    assert columns["prefix"][best].rstrip(".") in text.replace("&#46;", ".").replace("&#39;", "'")
    dropped = columns["kept"].count(False)
    assert f"{dropped} of {len(columns['kept'])} prefix" in text


def test_exposure_says_the_gap_of_the_held_out_sentences(opened):
    at, shown, text = opened("exposure", model="copy")
    columns = shown.columns()
    n = np.array(columns["targets"])
    forced = 100 * np.average(columns["true_words_fed"], weights=n)
    free = 100 * np.average(columns["own_words_fed"], weights=n)
    assert f"of {n.sum():,} tokens right" in text
    assert f"**{forced - free:.1f}** points less" in text
    assert "60 held-out rows of letters" in text


def test_a_link_opens_on_its_step_and_the_output_layer_shows_the_same(opened):
    at, _shown, text = opened("steps", decoding_step="3")
    assert stepper(at).start == 3
    assert "At step **3** " in text
    at, shown, _text = opened("output", decoding_step="3")
    assert at.number_input(key="decoding_step").value == 3
    assert shown.name == "output-layer.3"
    # A step that there is not is the usual one.
    usual = stepper(opened("steps")[0]).start
    assert stepper(opened("steps", decoding_step="99")[0]).start == usual


def test_what_follows_a_word_that_was_put_in_is_compared(opened):
    tired = "The animal didn't cross the street because it was too tired."
    text = opened("steps", model="everyday", sentence=tired, overrides="10:432")[2]
    assert "What follows “elle” is written **as before**: était trop fatigué" in html.unescape(text)
    assert "What follows" not in opened("steps", model="everyday", sentence=tired)[2]

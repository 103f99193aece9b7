import html
import re

import numpy as np

from viz import theme
from viz.charts.token_strips import TokenStrip, token_strips
from viz.component.payload import TokenLabel

TEXTS = ("The", "animal", "<b>", "EOS")


def strip(weights=(0.0, 1.0, 0.0, 0.0), visible=(True,) * 4, **changed):
    labels = [TokenLabel(text, special=text == "EOS") for text in TEXTS]
    given = {
        "looks": "it",
        "description": "it → animal 1.00",
        "keys": labels,
        "weights_K": np.array(weights, np.float32),
        "visible_K": np.array(visible),
        "most": 1,
        "written": "1.00",
    }
    return TokenStrip(**(given | changed))


def words_of(written):
    return [html.unescape(each) for each in re.findall(r'class="word">(.*?)</span>', written)]


def test_every_token_is_there_as_text_whatever_signs_it_has():
    written = token_strips([strip()])
    assert words_of(written) == list(TEXTS)
    assert "<b>" not in written
    assert 'aria-label="it → animal 1.00"' in written


def test_weights_have_the_colours_that_they_have_everywhere():
    table = theme.scale_table()
    written = token_strips([strip(weights=(0.0, 1.0, 0.5, 1.00001))])
    painted = re.findall(r"background: (rgb\([^)]*\)); color: (rgb\([^)]*\))", written)
    expected = [theme.colour(tuple(map(int, table[at]))) for at in (0, 255, 128, 255)]
    assert [background for background, _ink in painted] == expected
    # Light on dark, and dark on light.
    assert [ink for _background, ink in painted[:2]] == ["rgb(255, 255, 255)", "rgb(0, 0, 0)"]


def test_the_largest_weight_is_written_and_only_that():
    written = token_strips([strip()])
    assert written.count("1.00</span>") == 1
    assert re.search(r'class="key most"><span dir="auto" class="word">animal', written)


def test_what_the_mask_hides_has_no_colour():
    written = token_strips([strip(visible=(True, True, False, False))])
    assert written.count('class="cell hidden"') == 2
    assert written.count("background: rgb") == 2

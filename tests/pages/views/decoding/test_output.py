import re

import numpy as np
import pytest

from core.decoding.choosing import Greedy
from core.decoding.generate import decode
from core.decoding.output import ROWS
from core.decoding.sentence import model_input
from core.runs.run import load_run
from tests.pages.conftest import MODEL, ROOT

SENTENCE = "The dog slept."


@pytest.mark.parametrize("tau", ["0.5", "2.0"])
def test_the_table_goes_from_the_scores_of_a_step_to_its_probabilities(open_view, tau):
    # As older links open it.
    at, shown = open_view("output", sentence=SENTENCE, output_step="1", output_temperature=tau)
    assert at.segmented_control(key="part").value == "output"
    run = load_run(ROOT / "gallery" / MODEL)
    step = decode(run.model, model_input(run, SENTENCE).source_ids, Greedy())[1]
    shares = (step.logits_V.double() / float(tau)).softmax(dim=-1).sort(descending=True)
    columns = shown.columns()
    assert columns["token_id"][:ROWS] == shares.indices[:ROWS].tolist()
    np.testing.assert_allclose(columns["probability"][:ROWS], shares.values[:ROWS], rtol=1e-6)
    assert sum(columns["probability"]) == pytest.approx(1)
    names = at.table[0].value["token"].tolist()
    assert len(names) == ROWS + 1 and names[-1].endswith(" others")
    z = columns["z"]
    terms = [columns[name] for name in columns if "product" in name]
    assert np.sum([each[:ROWS] for each in terms], axis=0) == pytest.approx(z[:ROWS], abs=1e-4)
    assert f"**{z[0] - z[1]:.3f}** above" in shown.seen
    times = float(re.search(r"that is ([\d.e+]+) times", shown.seen.replace(",", ""))[1])
    assert times == pytest.approx(float(shares.values[0] / shares.values[1]), rel=0.03)
    at.slider(key="output_temperature").set_value(2.5).run()
    assert at.query_params["output_temperature"] == "2.5"

from core.heads import Kind
from core.inspection import inspect_sentence
from core.runs.run import load_run
from core.studies.heads.largest_weights import sharpest_head
from core.tasks import TASKS
from tests.pages.conftest import ROOT

GUIDED = ROOT / "gallery" / "translate-guided"


def test_another_kind_of_attention_opens_on_its_best_head(open_view):
    at = open_view("look_back", GUIDED, step="200")
    assert at.segmented_control(key="kind").value == "encoder.self"
    at.segmented_control(key="kind").set_value("decoder.cross").run()
    assert not at.exception
    example = TASKS["translate"].examples[0].source
    best = sharpest_head(inspect_sentence(load_run(GUIDED), example), Kind.CROSS)
    chosen = (at.selectbox(key="layer").value, at.selectbox(key="head").value)
    assert chosen == (best.layer, best.index)

from core.runs.settings import read_settings
from pages.frame.counted import counted
from tests.pages.conftest import ROOT


def test_passes_and_several_right_targets_are_said_where_they_count():
    said = {
        name: " ".join(counted(read_settings(ROOT / "gallery" / name)))
        for name in ("copy", "either", "parallel")
    }
    assert said == {
        "copy": "",
        "either": "A source has two right targets: either counts as right.",
        "parallel": "Written in passes (mask-predict): 4. A source has two right targets: either "
        "counts as right.",
    }

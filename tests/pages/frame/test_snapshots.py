from core.runs.checkpoint import stops
from pages.frame.snapshots import between, first_with_some
from tests.pages.conftest import ROOT

GALLERY = {name: ROOT / "gallery" / name for name in ("everyday", "copy", "translate-guided")}


def test_what_is_between_is_neither_untrained_nor_the_newest():
    path = GALLERY["copy"]
    found = between(path)
    assert found == (50, 100, 200, 500)
    assert (0, *found, 850) == stops(path)


def test_a_run_with_its_first_and_last_weights_alone_kept_nothing_between():
    assert between(GALLERY["everyday"]) == ()


def test_the_first_run_that_can_be_looked_back_at_is_named():
    assert first_with_some(GALLERY) == "copy"
    assert first_with_some({"everyday": GALLERY["everyday"]}) is None

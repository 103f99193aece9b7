from pages.frame.snapshots import between, first_with_some
from tests.pages.conftest import ROOT

COPY, EVERYDAY = ROOT / "gallery" / "copy", ROOT / "gallery" / "everyday"


def test_the_first_run_with_weights_between_its_ends_is_found():
    assert (between(COPY), between(EVERYDAY)) == ((50, 100, 200, 500), ())
    assert first_with_some({"everyday": EVERYDAY, "copy": COPY}) == "copy"
    assert first_with_some({"everyday": EVERYDAY}) is None

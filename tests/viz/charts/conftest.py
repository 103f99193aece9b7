import pytest
from altair.utils import schemapi


@pytest.fixture(autouse=True)
def channels_are_objects(monkeypatch):
    """A bare "x:Q" or `alt.value(0)` is looked up in the whole schema, for milliseconds each."""

    def refuse(_self, _classes):
        raise AssertionError("an encoding is no channel object, such as alt.X or alt.YValue")

    monkeypatch.setattr(schemapi._FromDict, "__init__", refuse)

import numpy as np
import pyarrow
import pytest

WIDTHS = [2**power for power in range(11)]


@pytest.fixture
def open_scaling(open_page):
    return lambda **query_params: open_page("scaling", **query_params)


def drawn(at, chart=0):
    """Return the lines or dots of a chart: series → its values of y or value, in order."""
    proto = at.get("vega_lite_chart")[chart].proto
    frames = [pyarrow.ipc.open_stream(data.data.data).read_pandas() for data in proto.datasets]
    frame = next(frame for frame in frames if "series" in frame)
    value = "y" if "y" in frame else "value"
    return {name: rows[value].tolist() for name, rows in frame.groupby("series", sort=False)}, frame


def exact(scores):
    exponentials = np.exp(np.array(scores, float) - max(scores))
    return exponentials / exponentials.sum()

import pyarrow
import pytest


@pytest.mark.parametrize("model", ["copy", "translate"])
@pytest.mark.parametrize("view", ["variance", "gradient"])
def test_the_width_of_the_model_is_marked(open_scaling, model, view):
    at = open_scaling(scaling=view, model=model)
    proto = at.get("vega_lite_chart")[0].proto
    frames = [pyarrow.ipc.open_stream(data.data.data).read_pandas() for data in proto.datasets]
    [rule] = [frame for frame in frames if "text" in frame]
    assert rule["x"].tolist() == [{"copy": 16, "translate": 32}[model]]

import time

from core.training import line


def test_runs_wait_in_the_order_in_which_they_came(tmp_path):
    paths = [tmp_path / name for name in ("c", "a", "b")]
    for path in paths:
        path.mkdir()
        line.enter(path)
    assert line.in_line(sorted(paths)) == paths
    line.leave(paths[0])
    line.leave(paths[0])
    assert line.in_line(paths) == paths[1:]


def test_nobody_comes_before_others_where_the_clock_is_set_back(tmp_path, monkeypatch):
    paths = [tmp_path / name for name in ("c", "a", "b")]
    for path, now in zip(paths, (3e18, 1e18, 2e18), strict=True):
        path.mkdir()
        monkeypatch.setattr(time, "time_ns", lambda now=now: int(now))
        line.enter(path, paths)
    assert line.in_line(sorted(paths)) == paths


def test_a_place_in_line_goes_with_the_run(tmp_path):
    path = tmp_path / "run"
    path.mkdir()
    line.enter(path)
    path = path.rename(tmp_path / "renamed")
    assert line.in_line([path, tmp_path / "run"]) == [path]

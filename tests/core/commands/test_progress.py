from core.commands import progress
from core.commands.progress import telling


def test_how_much_is_done_is_told_now_and_then(monkeypatch, capsys):
    now = iter([0.0, 1.0, 2.5, 3.0, 5.0])
    monkeypatch.setattr(progress.time, "perf_counter", lambda: next(now))
    tell = telling("read", 5000)
    for done in (1000, 2000, 3000, 4000):
        tell(done)
    assert capsys.readouterr().err == "read 2,000 of 5,000\nread 4,000 of 5,000\n"


def test_where_the_whole_is_not_known_it_is_not_said(monkeypatch, capsys):
    now = iter([0.0, 3.0])
    monkeypatch.setattr(progress.time, "perf_counter", lambda: next(now))
    telling("read")(1234)
    assert capsys.readouterr().err == "read 1,234\n"

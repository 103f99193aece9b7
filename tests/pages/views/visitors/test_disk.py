"""What the runs of a class take is seen, and freed, by its teacher."""

from core.training.limits import MEGABYTE
from tests.holding import held_elsewhere


def grow(run, megabytes):
    (run / "words.txt").write_bytes(bytes(megabytes * MEGABYTE))


def test_who_takes_most_comes_first(a_class, open_page, said):
    grow(a_class("Ann", "small"), 1)
    grow(a_class("Ben", "large"), 30)
    at = open_page("visitors", model=None)
    assert "2 visitors. All runs take " in said(at)
    assert "one visitor may have 200 MB" in said(at)
    assert said(at).index("Ben 3") < said(at).index("Ann ")
    [table] = at.dataframe
    assert list(table.value["run"]) == ["runs/Ben/large", "runs/Ann/small"]
    assert list(table.value["visitor"]) == ["Ben", "Ann"]


def test_runs_that_are_ticked_are_deleted_and_no_others(a_class, open_page):
    first, second, third = (a_class("Ann", name) for name in ("one", "two", "three"))
    at = open_page("visitors", model=None, visitors_runs=["runs/Ann/one", "runs/Ann/three"])
    at.button(key="visitors_delete").click().run()
    assert [run.exists() for run in (first, second, third)] == [False, True, False]
    assert list(at.dataframe[0].value["run"]) == ["runs/Ann/two"]


def test_a_run_that_is_trained_is_not_deleted_and_that_is_said(a_class, open_page, said):
    run = a_class("Ann", "mine")
    with held_elsewhere(run):
        at = open_page("visitors", model=None, visitors_runs="runs/Ann/mine")
        at.button(key="visitors_delete").click().run()
        assert run.exists()
        assert "Not deleted: runs/Ann/mine: " in said(at)


def test_runs_of_the_gallery_cannot_be_ticked(a_class, open_page):
    a_class("Ann", "mine")
    at = open_page("visitors", model=None, visitors_runs="copy")
    assert "visitors_delete" not in [each.key for each in at.button]
    assert list(at.dataframe[0].value["run"]) == ["runs/Ann/mine"]

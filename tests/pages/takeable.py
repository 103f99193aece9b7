from pages.frame import view
from pages.frame.export import as_csv, as_json
from tests.pages.views.attention.conftest import flat, run_lines


def numbers_of(shown, *names):
    """Return what stands in some columns, one after another, without what is empty."""
    columns = shown.columns()
    assert len({len(values) for values in columns.values()}) == 1
    return [value for name in names for value in columns[name] if value is not None]


def computed(shown, root=None):
    """Return the numbers that a view's Python computes, one after another."""
    return flat(run_lines(shown.recipe.python(), *([root] if root else [])))


def assert_takeable(at, shown):
    """Make sure that everything is offered, and that every file of it can be written."""
    labels = {each.proto.label for each in at.get("download_button")}
    assert labels >= {"CSV", "JSON", "HTML"}
    assert shown.title and shown.name and shown.pictures
    page = view.page(shown, {"title": shown.title, **shown.about})
    assert page.startswith("<!doctype html>")
    assert as_csv(shown.columns()) and as_json(shown.about, shown.columns())

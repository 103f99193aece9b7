"""What the view of all runs shows, and what is done with its table."""

import json

from tests.pages.conftest import ROOT, name_of, tick_rows, ticked_rows

GALLERY = ROOT / "gallery"


def change(file, how):
    """Change what a JSON file holds."""
    content = json.loads(file.read_text())
    how(content)
    file.write_text(json.dumps(content))


def is_of_all(table):
    return name_of(table) == "runs_table"


def tick(at, *names):
    """Tick the rows of these runs."""
    [table] = [each for each in at.dataframe if is_of_all(each)]
    runs = list(table.value["run"])
    tick_rows(at, table, *(runs.index(name) for name in names))


def table(at):
    """Return the table of all runs: name → what stands in its row."""
    [found] = [each.value for each in at.dataframe if is_of_all(each)]
    return found.set_index("run")


def below(at, column):
    """Return the table below that has a column of this name."""
    return next(
        each.value
        for each in at.dataframe
        if not is_of_all(each) and column in (each.value.index.name, *each.value.columns)
    )


def ticked(at):
    return [table(at).index[row] for row in ticked_rows(at, "runs_table")]


def linked(at):
    """Return the runs that the URL names."""
    found = at.query_params["runs"]
    return [found] if isinstance(found, str) else found


def button(at, label):
    [found] = [each for each in at.button if each.label == label]
    return found


def press(at, label):
    button(at, label).click().run()
    assert not at.exception, at.exception


def take_in(at, content, name="run.zip"):
    at.file_uploader[0].set_value((name, content, "application/zip")).run()
    assert not at.exception, at.exception

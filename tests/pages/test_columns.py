"""Numbers in the columns of tables, as the reader's language writes them."""

import re

import pyarrow as pa
import pytest

from tests.pages.conftest import unfold

TABLES = {
    "runs": ("training", {"training": "runs", "runs": "copy"}),
}
# Three digits behind a sign may be thousands.
DECIMAL = {"en": re.compile(r"\d\.\d(?!\d\d\b)"), "de": re.compile(r"\d,\d(?!\d\d\b)")}


def cells(at):
    """Return what stands in all tables of numbers, as text; settings are as in their files."""
    found = []
    for shown in (table.proto.arrow_data.styler.display_values for table in at.dataframe):
        if not shown:
            continue
        columns = pa.ipc.open_stream(shown).read_all().to_pydict()
        found += [str(cell) for column in columns.values() for cell in column]
    return found


@pytest.mark.parametrize("table", TABLES)
def test_numbers_in_columns_are_written_as_the_reader_does(
    open_page, german, table, elsewhere, tmp_path
):
    # Runs of one's own come with a date.
    elsewhere("OWN", tmp_path)
    page, query_params = TABLES[table]
    for language, other in (("de", "en"), ("en", "de")):
        at = open_page(page, model="translate-guided", lang=language, **query_params)
        shown = cells(unfold(at, "runs"))
        assert any(DECIMAL[language].search(cell) for cell in shown)
        assert not [cell for cell in shown if DECIMAL[other].search(cell)]


def test_columns_are_sorted_by_the_numbers_and_not_by_what_is_written(open_page, german):
    at = unfold(open_page("training", training="runs", runs="copy", lang="de"), "runs")
    table = at.dataframe[0].value
    numbers = [name for name in table if table[name].dtype.kind == "f"]
    assert numbers
    assert all(type(value) is float for name in numbers for value in table[name].tolist())

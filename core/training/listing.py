"""All runs in one table: how each stands, its settings and its results."""

from core.runs.metrics import Named, Table, columns_of, figures, read_record
from core.training.process import situation


def table_of_runs(runs: Named) -> Table:
    """Return one row for each run.

    Args:
        runs: Names and folders.

    Raises:
        RunError: A folder is no run, or one of its files is damaged.
    """
    rows = []
    for name, path in runs:
        found = situation(path)
        stands = {"state": found.state, "step": found.step, "steps": found.steps}
        rows.append({"run": name, **stands, **figures(read_record(path))})
    return Table(columns_of(rows))

"""The view of the first page: the whole pass."""

"""A folder of pages that needs no server: the pass of some runs, computed in the browser."""

"""The parts of the page on runs."""

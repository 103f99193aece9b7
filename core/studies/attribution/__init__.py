"""Where a word of the answer comes from, by several methods."""

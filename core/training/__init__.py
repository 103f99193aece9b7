"""From fresh weights to a run folder: loss, learning rate, loop, and what is kept on disk."""

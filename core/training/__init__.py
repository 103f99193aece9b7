"""From fresh weights to a run folder: loss, learning rate, loop, and files on disk."""

"""What heads look at, in one sentence and over many."""

"""Parts of the pages on training and on runs."""

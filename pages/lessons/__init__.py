"""Parts of single lessons that would make their page too long."""

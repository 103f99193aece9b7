"""A run is a folder: read, written, listed, packed, taken in."""

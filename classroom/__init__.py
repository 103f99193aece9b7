"""The app for a class: who may come in, and what is whose; `make run` knows nothing of it."""

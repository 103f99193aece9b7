"""The Transformer and all that is computed with it; knows nothing of pages or pictures."""

import os

# Threads that wait for each other go to sleep soon. By default they spin for long, which on an idle
# machine wins nothing, and beside an app, a browser or another training costs many times the step.
# It counts from the moment that torch is imported: so it stands before anything of `core`.
os.environ.setdefault("GOMP_SPINCOUNT", "2000")

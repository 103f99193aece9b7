"""`python -m core.training RUN`: train a prepared run to its end; what the app starts.

Also under `torchrun`, in several processes.
"""

import sys

from ..config import ConfigError
from ..jobs.process import main
from ..runs.checkpoint import CheckpointError
from ..runs.folder import TRAINING
from ..tasks import CorpusError
from .loop import TrainingError
from .trainer import complete_run

MENDABLE = (CheckpointError, ConfigError, CorpusError, TrainingError)

if __name__ == "__main__":
    sys.exit(main(TRAINING, complete_run, mendable=MENDABLE))

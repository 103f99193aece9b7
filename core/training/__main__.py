"""`python -m core.training RUN`: train a prepared run to its end; what the app starts.

Also under `torchrun`, in several processes.
"""

import sys

from core.config import ConfigError
from core.jobs.process import main
from core.runs.checkpoint import CheckpointError
from core.runs.folder import TRAINING
from core.tasks import CorpusError
from core.training.loop import TrainingError
from core.training.trainer import complete_run

MENDABLE = (CheckpointError, ConfigError, CorpusError, TrainingError)

if __name__ == "__main__":
    sys.exit(main(TRAINING, complete_run, mendable=MENDABLE))

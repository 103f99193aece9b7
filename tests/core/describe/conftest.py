from tests.core.model.conftest import batch, model, small_config

__all__ = ["batch", "model", "small_config"]

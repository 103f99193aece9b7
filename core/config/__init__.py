"""What a model is made from and how it is trained: frozen, and checked when it is made."""

from core.config.model import ModelConfig
from core.config.settings import ConfigError, require

__all__ = ["ConfigError", "ModelConfig", "require"]

"""What a model is made from and how it is trained: frozen, and checked when it is made."""

from .model import ModelConfig
from .settings import ConfigError, require

__all__ = ["ConfigError", "ModelConfig", "require"]

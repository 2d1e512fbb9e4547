"""Taking secrets out of text before it is written anywhere."""

from hunch.sources.redaction.redactor import Redactor, is_excluded

__all__ = ["Redactor", "is_excluded"]

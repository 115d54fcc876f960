"""The results for programs, as standard JSON."""

import json
from typing import Any

import numpy as np

from semisvm.report.story import Story


def as_json(story: Story) -> str:
    """The story for programs."""
    return for_machines(story.as_dict())


def for_machines(value: Any) -> str:
    """Standard JSON: NaN and infinity become null."""
    return json.dumps(_without_nan(value), indent=1, default=str, allow_nan=False)


def _without_nan(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(name): _without_nan(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_without_nan(one) for one in value]
    return None if isinstance(value, float) and not np.isfinite(value) else value

"""Settings that all tests share."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

# A failing assertion of a helper shows its values, as one of a test does.
pytest.register_assert_rewrite("tests.support")

# A run is the same twice, so that a change is to blame for a failure and not the dice; the other
# profile (HYPOTHESIS_PROFILE=searching) throws them, many times. No deadline: a shared machine may
# take a break in the middle of an example, and that is not what is tested.
settings.register_profile("repeatable", derandomize=True, deadline=None, max_examples=100)
settings.register_profile("searching", deadline=None, max_examples=3000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))

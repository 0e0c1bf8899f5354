"""Settings that all tests share."""

from __future__ import annotations

from hypothesis import settings

# A shared machine may take a break in the middle of an example; that is not what is tested.
settings.register_profile("no deadline", deadline=None)
settings.load_profile("no deadline")

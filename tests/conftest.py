"""What holds for every test: no example of a property is judged by how fast a shared machine was."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("shared", deadline=None)
settings.load_profile("shared")

"""The server under cProfile, from the first SIGUSR1 to its end: `python -m tests.bench.profiled FILE serve …`.

Only what the load costs is profiled, not starting nor filling the tables; and by the processor's clock, since store
and server may share a core. Invariant: the server itself runs as it ships.
"""

from __future__ import annotations

import cProfile
import signal
import sys
import time

from server.main import app


def main() -> None:
    """Serve, and write the profile at the end."""
    target, sys.argv = sys.argv[1], [sys.argv[0], *sys.argv[2:]]
    profile = cProfile.Profile(time.thread_time)
    signal.signal(signal.SIGUSR1, lambda *_: profile.enable())
    try:
        app()
    finally:
        profile.disable()
        profile.dump_stats(target)


if __name__ == "__main__":
    main()

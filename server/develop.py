"""`make dev`: the server, started again whenever a source of its changes, and Vite in front of it.

For developers only; nothing else imports this. Invariant: what it started, it ends.
"""

from __future__ import annotations

import contextlib
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WATCHED = ("engine/**/*.py", "server/**/*.py", "server/**/*.lua", "server/**/*.html", "server/**/*.json")
LOOK_EVERY_S = 0.5
END_WITHIN_S = 10.0


def newest() -> float:
    """Return when the newest of the watched files was written."""
    return max(path.stat().st_mtime for pattern in WATCHED for path in ROOT.glob(pattern))


def end(process: subprocess.Popen[bytes]) -> None:
    """End a process that was started here, gently first."""
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(END_WITHIN_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def main(options: list[str]) -> None:
    """Serve with these options of `serve`, until Ctrl-C."""
    serve = [sys.executable, "-m", "server.main", "serve", *options]
    vite = subprocess.Popen(["npm", "run", "dev"], cwd=ROOT / "web")  # noqa: S607 (the environment's own npm)
    server = subprocess.Popen(serve, cwd=ROOT)
    written = newest()
    try:
        while True:
            time.sleep(LOOK_EVERY_S)
            if newest() > written:
                written = newest()
                end(server)
                server = subprocess.Popen(serve, cwd=ROOT)
    finally:
        end(server)
        end(vite)


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        main(sys.argv[1:])

"""Which seat made each reveal of a game, recomputed from its seed and kept for the next question. Pure but for that."""

from __future__ import annotations

from collections import OrderedDict

from engine.game import Game, turned_by

KEPT = 64
"""Games remembered, the least recently asked about dropped first."""


class Turns:
    """Answers whose reveal number n was."""

    def __init__(self) -> None:
        """Remember nothing yet."""
        self._known: OrderedDict[tuple[str, int], tuple[int, ...]] = OrderedDict()

    def seat(self, game: Game, n: int) -> int | None:
        """Return the seat that made reveal n, from 1; None if it is not made yet."""
        if not 1 <= n <= game.reveals:
            return None
        key = (game.table, game.game)
        known = self._known.get(key, ())
        if len(known) < n:
            known = self._known[key] = turned_by(game, game.reveals)
        self._known.move_to_end(key)
        if len(self._known) > KEPT:
            self._known.popitem(last=False)
        return known[n - 1]

"""Logs held against the public rules, and how two records differ: what needs no seed to be found wrong.

Nothing hidden is known here: only `view`, `fold` and the cards that were seen. Invariant: the log of a game
that ran by the rules, cut after any batch before its end, has nothing wrong with it.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

from engine import cards
from engine.cards import Card
from engine.events import Captured, Dealt, GameEvent, Out, Reshuffled, Revealed
from engine.game import BadInputError, check
from engine.view import View, fold


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing wrong: the field (`revealed.card`, or a receipt's), the reveal it belongs to, what it
    should be.

    `reveal` is None outside of play. `expected` is the right value, or what is asked of it, and `found` is
    then empty.
    """

    field: str
    reveal: int | None
    expected: str
    found: str


def words(value: object) -> str:
    """Write a value of a record for a reader: None as a dash, tuples one by one."""
    if isinstance(value, tuple):
        return " ".join(words(part) for part in value) or "none"
    return "none" if value is None else str(value)


def differences(true: GameEvent | None, said: GameEvent | None, reveal: int) -> tuple[Finding, ...]:
    """Return where an event differs from the right one; `by` is a log's to leave out, and not compared."""
    n = reveal or None
    if true is None or said is None or true.type != said.type:
        return (Finding("log", n, true.type if true else "nothing", said.type if said else "nothing"),)
    return tuple(
        Finding(f"{true.type}.{field.name}", n, words(right), words(found))
        for field in fields(true)
        if (right := getattr(true, field.name)) != (found := getattr(said, field.name)) and field.name != "by"
    )


def running(dealt: Dealt, events: Sequence[GameEvent]) -> tuple[Finding, ...]:
    """Return what is wrong with a log without `ended`, up to its first wrong event; `events` follow it."""
    if wrong := _wrong_deal(dealt):
        return wrong
    view = fold(None, dealt)
    places = _Places(dealt)
    shuffles = 0
    rest = list(events)
    while rest:
        n = view.n + 1
        if view.turn is None:
            return (Finding("log", view.n, "ended", rest[0].type),)
        turned = next((event for event in rest[:2] if isinstance(event, Revealed)), None)
        if turned is None:
            return (Finding("log", n, "revealed", rest[0].type),)
        batch = _batch(view, view.turn, turned.card, shuffles)
        for at, true in enumerate(batch):
            if found := differences(true, rest[at] if at < len(rest) else None, n):
                return found
            if not places.took(true):
                return (Finding("revealed.card", n, "a card that can still be there", turned.card),)
            shuffles += isinstance(true, Reshuffled)
            view = fold(view, true)
        del rest[: len(batch)]
        if view.n == view.cap or view.out.count(False) == 1:
            view = replace(view, turn=None)
    return (Finding("log", view.n, "ended", "nothing"),) if view.turn is None else ()


def _wrong_deal(dealt: Dealt) -> tuple[Finding, ...]:
    try:
        # A commitment has the form of a seed, which is not known here.
        check(
            table=dealt.table,
            game=dealt.game,
            deck=dealt.deck,
            length=dealt.length,
            attempt=dealt.attempt,
            seed=dealt.commitment,
            nonces=dealt.nonces,
        )
    except BadInputError as wrong:
        return (Finding("dealt." + wrong.field.replace("seed", "commitment"), None, wrong.why, ""),)
    seats = len(dealt.nonces)
    deck = cards.ordered(dealt.deck)
    each, over = divmod(len(deck), seats)
    true = replace(dealt, stacks=(each,) * seats, first=0, cap=cards.cap(dealt.deck))
    found = differences(true, dealt, 0)
    if len(dealt.spares) != over or Counter(dealt.spares) - Counter(deck):
        found += (Finding("dealt.spares", None, f"{over} cards of the deck", words(dealt.spares)),)
    return found


def _batch(view: View, seat: int, card: Card, shuffles: int) -> tuple[GameEvent, ...]:
    """Return what must have happened when this card was turned, from what was seen before (R4 to R6)."""
    stack, own = view.stacks[seat], view.collected[seat]
    before: tuple[GameEvent, ...] = ()
    if not stack:
        before = (Reshuffled(seat, own, shuffles + 1),)
        stack, own = own, 0
    top = view.pile.top
    matched = top is not None and cards.suit(top) == cards.suit(card)
    after: tuple[GameEvent, ...] = ()
    if matched:
        after = (Captured(seat, view.pile.size + 1),)
    elif stack == 1 and not own:
        after = (Out(seat),)
    return (*before, Revealed(view.n + 1, seat, card, top, matched, None), *after)


class _Places:
    """Where each card that was seen must be: in the pile, a collected pile, or a stack shuffled from one."""

    def __init__(self, dealt: Dealt) -> None:
        self._pile = list(dealt.spares)
        self._unseen = Counter(cards.ordered(dealt.deck)) - Counter(dealt.spares)
        self._stacks = dict.fromkeys(range(len(dealt.stacks)), self._unseen)
        self._collected: dict[int, Counter[Card]] = {seat: Counter() for seat in self._stacks}

    def took(self, event: GameEvent) -> bool:
        """Move the cards as the event says; False if a card was turned that could not be in that stack."""
        match event:
            case Reshuffled(seat, _, _):
                self._stacks[seat], self._collected[seat] = self._collected[seat], Counter()
            case Revealed(_, seat, card, _, _, _):
                if not self._stacks[seat][card]:
                    return False
                self._stacks[seat][card] -= 1
                self._pile.append(card)
            case Captured(seat, _):
                self._collected[seat].update(self._pile)
                self._pile.clear()
            case _:
                pass
        return True

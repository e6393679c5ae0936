"""What follows from what, to its end: each chain is worked out here, shown on the phones, then applied."""

from companion.core import Event, Events, Panel, Picker, Tap, counted, refuse_if, replace
from companion.core.chains import Chain, Link
from companion.games.mountains_of_madness import box
from companion.games.mountains_of_madness.state import Find, InjuryPlace, Penalty, State, TokenPlace


class TokensMoved(Event[State]):
    source: TokenPlace
    to: TokenPlace
    count: int = 1

    def fold(self, state: State) -> State:
        return state.moving("tokens", self.source, self.to, self.count)


def spend_token(state: State, space: str) -> Events:
    """For what this space of the Leader's board offers."""
    refuse_if(why := state.why_no_token(space), why)
    yield TokensMoved("sled", "discard")


def spending(id: str, title: str, taps: list[Tap], why: str) -> Panel:
    """What this phase lets the Leader do with a token, as all see it."""
    picker = () if why else (Picker(f"{id}-taps", tuple(taps), columns=2 if len(taps) > 1 else 0),)
    return Panel(id, picker, text=f"{title}: {why}" if why else title, only="players")


class InjuriesMoved(Event[State]):
    source: InjuryPlace
    to: InjuryPlace
    count: int = 1

    def fold(self, state: State) -> State:
        """An Injury is a card too: the Equipment discard grows and shrinks with the Injury deck."""
        change = self.count * ((self.source == "supply") - (self.to == "supply"))
        cards = replace(state.cards, discard=max(0, state.cards.discard + change))
        return state.moving("injuries", self.source, self.to, self.count, cards=cards)


class InjuryMissing(Event[State]):
    def fold(self, state: State) -> State:
        return replace(state, undrawn=True)


class MadnessDrawn(Event[State]):
    seat: int
    level: int

    def fold(self, state: State) -> State:
        name, now = state.name(self.seat), state.level(self.seat)
        refuse_if(self.level != now + 1, f"{name} has Madness of level {now}.")
        return replace(state, levels={**state.levels, self.seat: self.level})


class CardsDiscarded(Event[State]):
    count: int

    def fold(self, state: State) -> State:
        return state.moving("cards", "deck", "discard", self.count)


class RelicTaken(Event[State]):
    seat: int
    kind: str
    space: str = ""

    def fold(self, state: State) -> State:
        seat = state.table.seat(self.seat).id
        covered = (*state.covered.get(seat, ()), *((self.space,) if self.space else ()))
        relics = {**state.relics, seat: (*state.relics.get(seat, ()), self.kind)}
        spaces = {**state.spaces, self.kind: self.space} if self.space else state.spaces
        return replace(state, relics=relics, covered={**state.covered, seat: covered}, spaces=spaces)


def penalty(state: State, rolled: Penalty, injuries: int = 0) -> Chain:
    """What this face would do now. `injuries`: how many turned up among the cards that Confusion discards."""
    match rolled.face:
        case "accident":
            return _accident(state.injuries.supply)
        case "confidence":
            return _from_the_sled(state, 2)
        case "confusion" if rolled.source == box.SPOKEN:
            return (Link(box.SAID["silent"][box.SPOKEN_CONFUSION.chosen(state.table)]),)
        case "confusion":
            return _confusion(state, gap_of(state, rolled), injuries)
    return ()


def gap_of(state: State, rolled: Penalty) -> int | None:
    gaps = state.now.gaps
    if rolled.source == box.LATER:
        missed = [gaps[which] for which in state.now.missed]
        known = [gap for gap in missed if gap is not None]
        return max(known, default=0) if state.now.met and len(known) == len(missed) else None
    return gaps[rolled.source] if 0 <= rolled.source < len(gaps) else None


def _accident(there: int) -> Chain:
    drawn = min(there, 2)
    words = f"{box.injuries(drawn)} to the Equipment discard; {there - drawn} left in the Injury deck."
    some = (Link(words, InjuriesMoved("supply", "discard", drawn)),) if drawn else ()
    if drawn == 2:
        return some
    short = "The second cannot be drawn" if there else "The Injury deck is empty"
    return (*some, Link(f"{short}: the expedition is lost.", InjuryMissing(), lost=True))


def _from_the_sled(state: State, count: int) -> Chain:
    """So many tokens to the discard; where they are not there, one goes for good."""
    if (left := state.tokens.sled - count) >= 0:
        words = f"{box.tokens(count)} from the sled to the discard; {left} stay."
        return (Link(words, TokensMoved("sled", "discard", count)),)
    few = f"{'Only 1' if state.tokens.sled else 'No'} Leadership token lies on the sled"
    return _to_the_box(state, f"{few}, too few to discard 2." if count == 2 else f"{few}.")


def _confusion(state: State, gap: int | None, injuries: int) -> Chain:
    deck = state.cards.deck
    if gap is None:
        return (Link("Confusion counts the gap. How far was the total from the Challenge?"),)
    if gap > deck:
        held = counted(deck, "card")
        return _to_the_box(state, f"Missed by {gap}, but the Equipment deck holds only {held}.")
    if not gap:
        return (Link("Nothing was missed, so nothing is discarded."),)
    way = f"{counted(gap, 'card')} from the Equipment deck to the discard"
    first = Link(f"Missed by {gap}: {way}; {deck - gap} stay.", CardsDiscarded(gap))
    uncovered = Link(f"{box.injuries(injuries)} among them.", InjuriesMoved("deck", "discard", injuries))
    return (first, uncovered) if injuries else (first,)


def _to_the_box(state: State, why: str) -> Chain:
    """A token is gone for good. Only asked while the game goes on, so that at least one is left."""
    tokens, left = state.tokens, state.tokens.left - 1
    sled_first = box.TOKEN_ORIGIN.chosen(state.table) == "sled"
    origin: TokenPlace = "sled" if tokens.sled and (sled_first or not tokens.discard) else "discard"
    words = f"1 Leadership token from the {origin} back to the box; {left} left in all."
    chain = (Link(why), Link(words, TokensMoved(origin, "box")))
    return chain if left else (*chain, Link("That was the last one: the expedition is lost.", lost=True))


def madness(state: State, seat: int) -> Chain:
    """One more level for this player. Madness that nobody can draw costs a token instead."""
    if state.all_mad:
        return (Link("Everyone has Madness of level 3."), *_from_the_sled(state, 1))
    level = state.level(seat) + 1
    gone = f", level {level - 1} goes back under its deck" if level > 1 else ""
    return (Link(f"{state.name(seat)} draws Madness of level {level}{gone}.", MadnessDrawn(seat, level)),)


def space_of(state: State, find: Find) -> str:
    """What the token would cover: as said, or as another token of that kind did."""
    return find.space or state.spaces.get(find.kind, "")


def relic(state: State, find: Find) -> Chain:
    """The card, its token, and the Madness it brings."""
    space, alone = space_of(state, find), no_token(state, find)
    if not (find.kind and find.seat and (space or alone)):
        return ()
    name = state.name(find.seat)
    takes = f"{name} takes a {box.RELIC_KINDS[find.kind]} Relic"
    token = f", {alone}." if alone else f"; its token covers “{box.SPACES[space]}” whenever {name} leads."
    taken = Link(f"{takes}{token}", RelicTaken(find.seat, find.kind, "" if alone else space))
    return (taken, *madness(state, find.seat))


def no_token(state: State, find: Find) -> str:
    """Why this Relic covers nothing: a second Knowledge, a space that is covered, or a board that is full."""
    covered = state.covered.get(find.seat, ())
    if find.kind == "knowledge" and "knowledge" in state.relics.get(find.seat, ()):
        return "without a second Knowledge token"
    if len(covered) == len(box.SPACES):
        return "and no space is left to cover"
    return "whose space is covered already" if space_of(state, find) in covered else ""


def too_mad(state: State, seat: int) -> str:
    """Whoever cannot draw Madness cannot be chosen, unless nobody can."""
    return "" if state.level(seat) < box.LEVELS or state.all_mad else "Madness of level 3"

"""The game of Rang Milanti, pure: no clock, no dice, no wire; standard library only."""

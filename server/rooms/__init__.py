"""The tables: pure decisions, and the live room that saves and speaks them."""

"""The truth of every table, in Valkey or Redis."""

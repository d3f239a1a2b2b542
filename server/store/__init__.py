"""The rooms' truth in Valkey or Redis: scripts, connections, subscriptions, and the embedded server."""

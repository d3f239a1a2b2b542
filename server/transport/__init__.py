"""HTTP and Socket.IO: how people reach the rooms."""

"""The room server: protocol, rooms, store, transport; `main` wires them."""

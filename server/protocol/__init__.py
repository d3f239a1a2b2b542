"""The contract with the clients: records and their encoding. Its README is the contract in words."""

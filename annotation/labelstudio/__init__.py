"""Label Studio: the server on this machine, accounts, and the client."""

"""Looking back at a session: propose → gate → compare → store, all of it recorded."""

"""The shell around the rooms: settings, URLs, processes. No domain logic."""

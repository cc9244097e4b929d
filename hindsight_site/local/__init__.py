"""Starting the product on one machine: embedded PostgreSQL and Valkey, and every process.

`bootstrap` is what manage.py calls before Django is loaded, `postgres` and `valkey` look after one
server each, `processes` keeps programs running, `product` knows which programs those are. Nothing
here imports Django, so that a command is not slowed down before it starts.
"""

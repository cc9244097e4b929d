"""The local servers without the product: started, stopped, looked at."""

from .bootstrap import ensure_services, postgres, valkey
from .run import sole_use, started_services
from .system import home_directory, make_home


def up() -> str:
    """Start the local servers so that they stay; return their URLs as lines for a shell."""
    home = home_directory()
    services = ensure_services(home)
    make_home(home)
    started_services(home).unlink(missing_ok=True)
    return f"DATABASE_URL={services.database_url}\nREDIS_URL={services.redis_url}"


def down() -> str:
    """Stop the local servers; raises LocalError when a running product needs them."""
    home = home_directory()
    make_home(home)
    with sole_use(home):
        valkey(home).stop()
        postgres(home).stop()
        started_services(home).unlink(missing_ok=True)
    return status()


def status() -> str:
    """Return a line for each local server: its process and whether it answers."""
    home = home_directory()
    lines = []
    for name, server in (("PostgreSQL", postgres(home)), ("Valkey", valkey(home))):
        pid, url = server.pid(), server.url()
        state = f"process {pid}" + ("" if url else ", does not answer") if pid else "stopped"
        lines.append(f"{name}: {state}")
    return "\n".join(lines)


ACTIONS = {"up": up, "down": down, "status": status}

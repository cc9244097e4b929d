"""How an agent connects to this installation, for pages that have nothing to show yet."""

import json

from django.conf import settings
from django.http import HttpRequest


def mcp_client(request: HttpRequest) -> str:
    """Return the JSON for an MCP client's configuration, with a place for the agent's key."""
    host = request.get_host().removesuffix(f":{request.get_port()}")
    server = {
        "type": "http",
        "url": f"{request.scheme}://{host}:{settings.MCP_PORT}/mcp",
        "headers": {"Authorization": "Bearer hs_…"},
    }
    return json.dumps({"mcpServers": {"hindsight": server}}, indent=2, ensure_ascii=False)

"""Which proxy stands before a server: this module reads that from the environment, and quotes nothing of it.

Only for https, where a proxy hands on what it cannot read. Over plain http, which is for a server on the same machine,
it would be given the token.
"""

import re
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from graders.engine.errors import UsageError

PROXY = re.compile(r"(https?://)?([^/\s]*@)?([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:(?P<port>[0-9]{1,5}))?/?")
LAST_PORT = 65_535


def proxies(url: str) -> dict[str, str]:
    """Return the proxy for that address by its scheme, or nothing; raises UsageError for what can be none."""
    parts = urlsplit(url)
    proxy = getproxies().get(parts.scheme, "")
    if parts.scheme != "https" or not proxy or proxy_bypass(parts.netloc):
        return {}
    read = PROXY.fullmatch(proxy)
    if read is None or int(read["port"] or 0) > LAST_PORT:
        # It is not quoted, as it may hold a password.
        raise UsageError("HTTPS_PROXY is no address of a proxy; expected one such as http://proxy.example:3128")
    return {parts.scheme: proxy}

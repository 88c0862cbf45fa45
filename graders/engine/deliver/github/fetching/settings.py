"""What git is given when it talks to a server: a configuration, an environment and limits, all made here by hand.

No settings of the user or the machine, no hooks, no helpers that know passwords, one protocol, and no redirects, which
could carry the token elsewhere. The token is in that environment alone: not in a file, and not on a command line, which
every process of a machine may read.
"""

import base64
import os
import sys
from dataclasses import dataclass, field
from pathlib import Path

MEMORY_BYTES = 2 << 30
"""So much address space git may use, on Linux: what is packed small can be large."""

_HANDED_ON = (
    "PATH",
    "HTTPS_PROXY",
    "https_proxy",
    "NO_PROXY",
    "no_proxy",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "SYSTEMROOT",
)
_CONFIG = """\
[core]
	repositoryformatversion = 1
	bare = true
	bigFileThreshold = 1m
[extensions]
	partialClone = origin
[fetch]
	negotiationAlgorithm = noop
[http]
	followRedirects = false
	lowSpeedLimit = 1000
	lowSpeedTime = 20
[remote "origin"]
	url = {url}
	promisor = true
	partialCloneFilter = blob:none
"""
# Soft limits. Where less is allowed already, setting one fails, and that stays.
_LIMITED = 'ulimit -S -f "$1"; ulimit -S -c 0; ulimit -S -v "$2"; shift 2; exec "$@"'


@dataclass(frozen=True, slots=True)
class Remote:
    """A repository on a server, OWNER/NAME, and the token that may read it, where it takes one."""

    server: str
    repository: str
    token: str = field(default="", repr=False)

    @property
    def url(self) -> str:
        return f"{self.server}/{self.repository}"


def config(remote: Remote) -> str:
    """The file `config` of a repository whose objects come from there, and from nowhere else."""
    return _CONFIG.format(url=remote.url)


def limits(limit: int) -> list[str]:
    """What stands before a command that may write no file larger than that, on systems that have such limits."""
    if sys.platform == "win32":
        return []
    memory = str(MEMORY_BYTES // 1024) if sys.platform == "linux" else "unlimited"
    return ["sh", "-c", _LIMITED, "sh", str(-(-limit // 512)), memory]


def environment(remote: Remote, home: Path) -> dict[str, str]:
    """The variables of a git that talks to that server. In its home nothing stands that it would read."""
    made = {name: os.environ[name] for name in _HANDED_ON if name in os.environ} | {
        "GIT_ALLOW_PROTOCOL": "http" if remote.server.startswith("http:") else "https",
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "HOME": str(home),  # where there is no .netrc
        "LC_ALL": "C",
    }
    if remote.token:
        credentials = base64.b64encode(f"x-access-token:{remote.token}".encode()).decode()
        made |= {
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": f"http.{remote.server}/.extraHeader",
            "GIT_CONFIG_VALUE_0": f"Authorization: Basic {credentials}",
        }
    return made

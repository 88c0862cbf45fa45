"""How talking to GitHub fails: one exception, with words that say what to do and never the token."""

from graders.engine.errors import ServiceError


class GitHubError(ServiceError):
    """GitHub did not do what was asked. The message says what that was, what came and what to do."""


class LockedError(GitHubError):
    """The conversation of the pull request is locked, so that nothing can be written in it."""


class NotThereError(GitHubError):
    """There is no such thing, or no more."""


class RefusedError(GitHubError):
    """This one thing may not be had: blocked, or not for this token. Others may."""


class EndlessError(GitHubError):
    """A list or an answer is longer than any that is read to its end."""


class UnclearError(GitHubError):
    """A write that may have happened or not: whoever asked for it looks before asking again."""


class BrokenAnswerError(Exception):
    """No whole answer came; the message says what came instead, as the end of a sentence."""

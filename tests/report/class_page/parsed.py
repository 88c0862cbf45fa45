"""A page as a tree: elements with attributes and what is in them, as Python's parser of HTML finds it, well nested."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = frozenset({"meta", "br", "input", "img", "hr", "link"})
RAW = frozenset({"script", "style"})


@dataclass
class Element:
    tag: str
    attributes: dict[str, str | None]
    inside: list["Element | str"] = field(default_factory=list)

    @property
    def text(self) -> str:
        """All text in it but styles and scripts, with single blanks."""
        parts = [part if isinstance(part, str) else part.text for part in self.inside if self.tag not in RAW]
        return " ".join(" ".join(parts).split())

    def all(self, tag: str | None = None) -> Iterator["Element"]:
        """Every element in it with that tag, in order."""
        for part in self.inside:
            if isinstance(part, Element):
                if tag is None or part.tag == tag:
                    yield part
                yield from part.all(tag)

    def one(self, tag: str, **attributes: str) -> "Element":
        (found,) = [one for one in self.all(tag) if attributes.items() <= one.attributes.items()]
        return found


class _Builder(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.stack = [Element("", {})]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, dict(attrs))
        assert len(element.attributes) == len(attrs), f"{tag} has an attribute twice: {attrs}"
        self.stack[-1].inside.append(element)
        if tag not in VOID:
            self.stack.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.stack[-1].inside.append(Element(tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.stack[-1].tag == tag, f"</{tag}> ends <{self.stack[-1].tag}>"
        self.stack.pop()

    def handle_data(self, data: str) -> None:
        self.stack[-1].inside.append(data)


def parse(page: str) -> Element:
    """The page; fails for one whose elements are not closed where they should be."""
    builder = _Builder()
    builder.feed(page)
    builder.close()
    (root,) = builder.stack
    return root

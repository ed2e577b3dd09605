"""The guidelines that people read before the first task, as HTML: the user's own in each language, or made of the file.

Markdown is turned into HTML with its raw HTML escaped. HTML is taken apart and put together again from the tags that
guidelines need; one with a script, a form or anything that loads or runs is refused.
"""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import Final

from tashika.annotation.custom.markup import question, verdict_choices
from tashika.core.custom.annotate_form import PageForm
from tashika.core.errors import ConfigError

LANGUAGES: Final[Mapping[str, str]] = {
    "ar": "العربية", "de": "Deutsch", "en": "English", "es": "Español", "fr": "Français", "hi": "हिन्दी",
    "it": "Italiano", "ja": "日本語", "ko": "한국어", "pt": "Português", "ru": "Русский", "zh": "中文",
}  # fmt: skip
"""Headings of the guidelines in several languages; others have their code."""

_TAGS: Final = frozenset(
    {"a", "abbr", "b", "blockquote", "br", "code", "dd", "del", "div", "dl", "dt", "em", "h1", "h2", "h3", "h4", "h5"}
    | {"h6", "hr", "i", "ins", "kbd", "li", "mark", "ol", "p", "pre", "q", "rp", "rt", "ruby", "s", "small", "span"}
    | {"strong", "sub", "sup", "table", "tbody", "td", "th", "thead", "tr", "u", "ul"}
)
_WITHOUT_END: Final = frozenset({"br", "hr"})
_SPACED: Final = frozenset({"blockquote", "ol", "p", "pre", "table", "ul"})
"""After these a line is left empty: Label Studio's own style takes the margins of paragraphs and lists away."""

_ATTRIBUTES: Final = frozenset({"href", "lang", "dir", "title", "colspan", "rowspan", "start"})
_SCHEMES: Final = ("https://", "http://", "mailto:")
_KEYS: Final = "Keys: {keys}Ctrl+Enter to submit, Ctrl+Space to skip."


def read_guidelines(files: Mapping[str, Path]) -> str:
    """The guidelines of one file or several.

    Args:
        files: By language, in order; one alone gets no heading.

    Raises:
        ConfigError: A file is missing, no text, or has HTML that guidelines must not have.
    """
    if len(files) == 1:
        return "".join(map(_read, files.values()))
    parts = [
        f'<div lang="{html.escape(language)}"><h2>{html.escape(LANGUAGES.get(language, language))}</h2><br>'
        f"{_read(path)}</div>"
        for language, path in files.items()
    ]
    return "<hr><br>".join(parts)


def _read(path: Path) -> str:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"the guidelines cannot be read: {error}", where=str(path)) from error
    if path.suffix.lower() in {".html", ".htm"}:
        return sound_html(text, str(path))
    if path.suffix.lower() in {".md", ".markdown", ".txt"}:
        return sound_html(_from_markdown(text), str(path))
    raise ConfigError("guidelines are a Markdown (.md) or an HTML (.html) file", where=str(path))


def _from_markdown(text: str) -> str:
    from markdown_it import MarkdownIt

    reader = MarkdownIt("commonmark", {"html": False, "xhtmlOut": False}).enable("table").disable("image")
    return str(reader.render(text))


def sound_html(text: str, where: str) -> str:
    """HTML of the tags that guidelines need and of nothing else, in one form whoever wrote it.

    Raises:
        ConfigError: It has something else; the message names it, and its line.
    """
    reader = _Reader(where)
    reader.feed(text)
    reader.close()
    made = reader.finished()
    if not made.strip():
        raise ConfigError("the guidelines are empty", where=where)
    return made


class _Reader(HTMLParser):
    """Takes HTML apart and puts what is allowed together again, each tag closed."""

    def __init__(self, where: str) -> None:
        super().__init__(convert_charrefs=True)
        self._where = where
        self._made: list[str] = []
        self._open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _TAGS:
            self._refuse(f"<{tag}>", "Allowed are text, headings, lists, tables and links.")
        kept = "".join(f' {name}="{html.escape(value or "")}"' for name, value in attrs if self._allowed(name, value))
        self._made.append(f"<{tag}{kept}>")
        if tag not in _WITHOUT_END:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self._open:
            while self._open:
                last = self._open.pop()
                self._made.append(f"</{last}>" + ("<br>" if last in _SPACED else ""))
                if last == tag:
                    return

    def handle_data(self, data: str) -> None:
        self._made.append(html.escape(data, quote=False))

    def finished(self) -> str:
        """What was put together."""
        return "".join([*self._made, *(f"</{tag}>" for tag in reversed(self._open))])

    def _allowed(self, name: str, value: str | None) -> bool:
        if name.startswith("on"):
            self._refuse(f"the attribute {name}", "Guidelines run nothing.")
        if name == "href" and not (value or "").strip().lower().startswith(_SCHEMES):
            self._refuse(f"a link to {(value or '')[:60]!r}", "Links begin with https://, http:// or mailto:.")
        return name in _ATTRIBUTES

    def _refuse(self, found: str, hint: str) -> None:
        raise ConfigError(
            f"the guidelines have {found}, which is not shown to people",
            where=f"{self._where}:{self.getpos()[0]}",
            hint=hint,
        )


def made_guidelines(title: str, form: PageForm, choices: Sequence[str]) -> str:
    """The guidelines of a page whose file names none: what is asked, and what each choice counts.

    Args:
        title: Of the suite.
        form: What people are asked.
        choices: The choices as the page shows them.
    """
    asked = question(form)
    parts = [f"<h3>{html.escape(title, quote=False)}</h3><br>", _paragraph(asked), *_what_counts(form, choices)]
    if form.correct:
        parts.append(_paragraph(f"Where it is right but for a slip, write its “{form.correct}” anew, as a whole."))
    if form.note:
        parts.append(_paragraph("You may leave a note."))
    parts.append(_paragraph("Several people see each item, so decide by yourself. If you cannot tell, skip it."))
    keys = f"1 to {len(choices)} to choose, " if 1 < len(choices) < 10 else ""
    parts.append(_paragraph(_KEYS.format(keys=keys)))
    return "".join(parts)


def _what_counts(form: PageForm, choices: Sequence[str]) -> list[str]:
    counts = {"for": "for the item", "against": "against it", "neither": "neither for nor against it"}
    if form.form == "verdict":
        named = verdict_choices(form).values()
        lines = [f"{choice}: counts {counts[vote]}" for choice, vote in zip(choices, named, strict=True)]
        return [_list(lines), _paragraph("What more than half of the people say decides.")]
    if form.form == "label":
        return [_list(choices), _paragraph("The label that more than half of the people take is the item's.")]
    if form.form == "labels":
        rule = "Choose every label that fits. A label that more than half of the people take is the item's."
        return [_list(choices), _paragraph(rule)]
    if form.form == "rating":
        rule = "From least to most. The item's rating is the median of what people take."
        return [_list(choices), _paragraph(rule)]
    if form.form == "preference":
        return [_paragraph("Which of the two stands on the left is drawn anew for each item; the side means nothing.")]
    rule = "Every answer is kept as it is." if form.required else "Every answer is kept as it is; it may be empty."
    return [_paragraph(rule)]


def _paragraph(text: str) -> str:
    return f"<p>{html.escape(text, quote=False)}</p><br>"


def _list(lines: Sequence[str]) -> str:
    return f"<ul>{''.join(f'<li>{html.escape(line, quote=False)}</li>' for line in lines)}</ul><br>"

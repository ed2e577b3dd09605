"""The guidelines that people read before the first task, as HTML: the user's own in each language, or made of the file.

Markdown is turned into HTML with its raw HTML escaped. HTML is taken apart and put together again from the tags that
guidelines need; one with a script, a form or anything that loads or runs is refused.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping, Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import Final

from tashika.annotation.custom.markup import choice_words, page_words, question, verdict_choices
from tashika.annotation.options import Language
from tashika.annotation.wording.guidelines import BREAK, examples_list, keys_line, paragraph
from tashika.annotation.wording.words import Example, Look, shared_words
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


def read_guidelines(files: Mapping[str, Path], examples: Callable[[str], str] = lambda _language: "") -> str:
    """The guidelines of one file or several.

    Args:
        files: By language, in order; one alone gets no heading.
        examples: What stands below those of a language, as HTML.

    Raises:
        ConfigError: A file is missing, no text, or has HTML that guidelines must not have.
    """
    if len(files) == 1:
        return "".join(_read(path) + examples(language) for language, path in files.items())
    parts = [
        f'<div lang="{html.escape(language)}"><h2>{html.escape(LANGUAGES.get(language, language))}</h2><br>'
        f"{_read(path)}{examples(language)}</div>"
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


def made_guidelines(title: str, form: PageForm, choices: Sequence[str], look: Look, *, decides: bool) -> str:
    """The guidelines of a page whose file names none: what is asked, what each choice counts, what to do in doubt.

    There are no examples in it but those that the file gives, since nothing is known of the items; questions of known
    answer are none, because people would know them when they are asked.

    Args:
        title: Of the suite.
        form: What people are asked.
        choices: The choices as the page shows them.
        look: The language, and whether there is a field for a note.
        decides: Whether one key decides and submits.
    """
    words = page_words(look.language)
    parts = [f"<h3>{_plain(title)}</h3>{BREAK}", paragraph(_plain(question(form, look.language)))]
    parts += _what_counts(form, choices, look.language)
    if form.correct:
        parts.append(paragraph(_plain(words["correct_rule"].format(column=form.correct))))
    if look.note:
        parts.append(paragraph(words["note_rule"]))
    parts.append(given_examples(form, look.language))
    parts.append(paragraph(words["doubt_rule"]))
    writes = form.form == "text" or form.correct is not None
    parts.append(paragraph(keys_line(look, len(choices), decides=decides, writes=writes)))
    return "".join(parts)


def given_examples(form: PageForm, language: Language) -> str:
    """The good and bad examples of the suite file as HTML, escaped; nothing where it has none.

    Args:
        form: With the examples.
        language: Of their headings and reasons.
    """
    if form.examples is None:
        return ""
    words = shared_words(language)
    parts = []
    for heading, examples in ((words["good"], form.examples.good), (words["bad"], form.examples.bad)):
        escaped = [Example(shown=_lines(each.shown), why=_lines(each.why_in(language))) for each in examples]
        parts += examples_list(heading, escaped)
    return "".join(parts)


def _lines(text: str) -> str:
    """A text of the user's, escaped, in its lines."""
    return BREAK.join(map(_plain, text.strip().splitlines()))


def _what_counts(form: PageForm, choices: Sequence[str], language: Language) -> list[str]:
    words, shown = page_words(language), choice_words(form, language)
    names = [_plain(shown.get(choice, choice)) for choice in choices]
    colon = shared_words(language)["colon"]
    if form.form == "verdict":
        lines = [
            f"{name}{colon}{words[counts]}" for name, counts in zip(names, verdict_choices(form).values(), strict=True)
        ]
        return [_list(lines), paragraph(words["verdict_rule"])]
    if form.form in {"label", "labels", "rating"}:
        return [_list(names), paragraph(words[f"{form.form}_rule"])]
    if form.form == "preference":
        return [paragraph(words["preference_rule"])]
    return [paragraph(words["required_rule" if form.required else "optional_rule"])]


def _plain(text: str) -> str:
    return html.escape(text, quote=False)


def _list(lines: Sequence[str]) -> str:
    return f"<ul>{''.join(f'<li>{line}</li>' for line in lines)}</ul>{BREAK}"

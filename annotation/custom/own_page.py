"""A page in Label Studio's markup that the user wrote: checked against what the suite file asks."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from tashika.core.errors import ConfigError

MARKED_UP = frozenset({"HyperText"})
"""Tags that take their value for HTML."""

SHOWING = frozenset({"Text", "Header", "HyperText"})
"""Tags that show a text; others would load what it names, or run it."""

_TAGS = SHOWING | {"View", "Style", "Choices", "Choice", "TextArea", "Collapse", "Panel"}
"""What a page is made of; there are others that run code."""

_VARIABLE = re.compile(r"\$([A-Za-z_]\w*)")


@dataclass(frozen=True)
class Expected:
    """What a page must have.

    Attributes:
        choices: The name of its `Choices` and the choices; None where people write.
        several: Whether more than one choice may be taken.
        fields: The names of its `TextArea`s.
        optional: The names of those that it may have as well.
        plain: What a task holds of plain text, as `$NAME`.
        html: What a task holds of HTML, as `$NAME`.
    """

    choices: tuple[str, Sequence[str]] | None
    several: bool
    fields: Sequence[str]
    optional: Sequence[str]
    plain: Collection[str]
    html: Collection[str]


def read_page(path: Path, expected: Expected) -> str:
    """The markup of a page of the user's own.

    Raises:
        ConfigError: It is not well formed, or lacks what is expected, or shows what no task holds.
    """
    try:
        text = path.read_text(encoding="utf-8")
        if "<!DOCTYPE" in text or "<!ENTITY" in text:
            raise ConfigError("the page has a document type or entities; expected plain tags", where=str(path))
        root = ElementTree.fromstring(text)
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"the page cannot be read: {error}", where=str(path)) from error
    except ElementTree.ParseError as error:
        raise ConfigError(f"the page is no well-formed XML: {error}", where=str(path)) from error
    problems = [*_control_problems(root, expected), *_column_problems(root, expected)]
    if problems:
        raise ConfigError("; ".join(problems), where=str(path))
    return text


def _control_problems(root: Element, expected: Expected) -> list[str]:
    problems: list[str] = []
    found = {(element.tag, element.attrib["name"]): element for element in root.iter() if element.get("toName")
             and "name" in element.attrib}  # fmt: skip
    wanted = [("TextArea", name) for name in expected.fields]
    if expected.choices:
        name, choices = expected.choices
        wanted.append(("Choices", name))
        control = found.get(("Choices", name))
        if control is not None:
            problems += _choice_problems(control, choices, expected.several)
    names = {element.get("name") for element in root.iter()}
    for tag, name in wanted:
        if (tag, name) not in found:
            problems.append(f'expected a <{tag} name="{name}" toName="…">, found none')
    for (tag, name), element in found.items():
        if (tag, name) not in [*wanted, *(("TextArea", name) for name in expected.optional)]:
            problems.append(
                f'found a <{tag} name="{name}">, and answers from it are not read; the file asks for no such'
            )
        elif element.attrib["toName"] not in names:
            problems.append(f'<{tag} name="{name}"> is about {element.attrib["toName"]!r}, and no tag has that name')
    return problems


def _choice_problems(control: Element, choices: Sequence[str], several: bool) -> list[str]:
    found = [choice.attrib.get("alias") or choice.attrib.get("value", "") for choice in control.iter("Choice")]
    name = control.attrib["name"]
    problems = []
    if sorted(found) != sorted(choices):
        problems.append(f"the choices of {name!r} are {_listed(found)}; expected {_listed(choices)}")
    if control.get("value"):
        problems.append(f"the choices of {name!r} come from the task; expected a <Choice> for each")
    kind = control.get("choice", "single")
    if several != (kind == "multiple"):
        expected = '"multiple"' if several else '"single" or "single-radio"'
        problems.append(f'{name!r} has choice="{kind}"; expected {expected}')
    return problems


def _column_problems(root: Element, expected: Expected) -> list[str]:
    problems, shown = [], 0
    known = {*expected.plain, *expected.html}
    for element in root.iter():
        if element.tag not in _TAGS:
            problems.append(f"<{element.tag}> is no tag of a page; expected {', '.join(sorted(_TAGS))}")
        if element.tag in MARKED_UP and not _VARIABLE.fullmatch(element.attrib.get("value", "")):
            problems.append(
                f'expected <{element.tag} value="$NAME_html">, found {element.attrib.get("value", "")[:40]!r}'
            )
        if element.attrib.get("valueType", "text") != "text":
            problems.append(
                f'<{element.tag}> has valueType="{element.attrib["valueType"]}"; a text is shown, not loaded'
            )
        for name in [name for value in element.attrib.values() for name in _VARIABLE.findall(value)]:
            shown += 1
            if name not in known:
                problems.append(f"<{element.tag}> shows ${name}, which no task holds; there are {_variables(known)}")
            elif element.tag not in SHOWING:
                problems.append(f"<{element.tag}> takes ${name}; show texts with {', '.join(sorted(SHOWING))}")
            elif element.tag in MARKED_UP and name not in expected.html:
                problems.append(f"<{element.tag}> takes ${name} for HTML, and it is not escaped; use ${name}_html")
    if not shown:
        problems.append(f"the page shows nothing of the item; there are {_variables(known)}")
    return problems


def _variables(names: Collection[str]) -> str:
    return ", ".join(f"${name}" for name in sorted(names))


def _listed(names: Sequence[str] | Mapping[str, str]) -> str:
    return ", ".join(map(repr, names)) or "none"

"""The pages of a suite that its settings name, dressed as they say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tashika.annotation.labelling.asking import AnswerPage, ChoicePage, FormPage, RatingPage, TextPage, WordsPage
from tashika.annotation.labelling.page import Page
from tashika.annotation.settings import AnnotateSettings
from tashika.annotation.wording.words import Look
from tashika.core.errors import ConfigError
from tashika.core.progress import say
from tashika.core.suites.discovery import suite_named
from tashika.core.workspace import Workspace


def takes_rule(page: Page) -> bool:
    """Whether the votes on a page are decided by a rule: ratings have a median, and words and texts are collected."""
    return isinstance(page, ChoicePage) and not isinstance(page, RatingPage)


def _refuse_rule(page: Page, settings: AnnotateSettings) -> None:
    """Refuses a rule for answers that no rule decides.

    Raises:
        ConfigError: The settings name one other than the majority.
    """
    name = settings.rule_of(page.kind)
    if name == "majority" or takes_rule(page):
        return
    own = settings.kinds[page.kind].rule is not None
    done = "the median decides" if isinstance(page, RatingPage) else "all answers are collected"
    raise ConfigError(
        f"the rule {name!r} does not apply to {page.kind} items: {done}",
        where=f"[annotate.kinds.{page.kind}] rule" if own else "[annotate] rule",
        hint="Leave it out."
        if own
        else f'Add rule = "majority" to [annotate.kinds.{page.kind}], which changes nothing.',
    )


def all_pages(suite: str) -> tuple[Page, ...]:
    """The pages of all kinds that people may judge in a suite.

    Raises:
        InputError: There is no such suite.
    """
    pages: tuple[Page, ...] = suite_named(suite).load("annotation")
    return pages


def pages_of(suite: str, settings: AnnotateSettings) -> list[Page]:
    """The pages of the kinds that the settings name, in the suite's order.

    Raises:
        InputError: There is no such suite.
        ConfigError: The settings name no kind, or one without a page, or would break ties or use another rule than the
            majority where nothing is voted.
    """
    known = all_pages(suite)
    names = ", ".join(page.kind for page in known)
    strangers = [kind for kind in settings.kinds if kind not in {page.kind for page in known}]
    if strangers or not settings.kinds:
        message = f"people judge no {strangers[0]!r} items" if strangers else "no kind of item is named"
        raise ConfigError(message, where="[annotate.kinds]", hint=f"Kinds that {suite} has a page for: {names}.")
    look = Look(settings.language, settings.note, settings.one_key)
    pages = [page.with_look(look) for page in known if page.kind in settings.kinds]
    for page in pages:
        if isinstance(page, AnswerPage | FormPage | TextPage) and settings.kinds[page.kind].tie_breaker:
            where = f"[annotate.kinds.{page.kind}] tie_breaker"
            message = "these answers are not for or against an item, and have no ties to break"
            raise ConfigError(message, where=where, hint="Leave it out.")
        _refuse_rule(page, settings)
    return [_dealt(page, settings) for page in pages]


def _dealt(page: Page, settings: AnnotateSettings) -> Page:
    parts = settings.kinds[page.kind].parts
    if parts > 1 and isinstance(page, WordsPage) and page.parted_by:
        message = f"these items come in {page.parted_by}s, which have a project each"
        raise ConfigError(message, where=f"[annotate.kinds.{page.kind}] parts", hint="Leave it out.")
    return replace(page, dealt_over=parts)


def pages_at_hand(workspace: Workspace, pages: Sequence[Page]) -> list[Page]:
    """The pages without those whose items another command than the build has still to make; these are named."""
    later = [page for page in pages if page.made_by and not workspace.item_file(page.kind).exists()]
    for page in later:
        say(f"no {page.kind} items yet, so this goes without them; `{page.made_by}` makes them")
    return [page for page in pages if page not in later]

"""What is sent to a person who is invited, in English or Japanese."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from tashika.annotation.judging.roster import Invited

Language = Literal["en", "ja"]


@dataclass(frozen=True)
class Invitation:
    """What an invitation says to everybody.

    Attributes:
        link: Where an account is made.
        login: Where people log in who have one.
        projects: The heading and the address of each project that is the person's; empty for all that the server shows.
        training: Likewise those that people begin with; empty where there are none.
        quota: How many items the person shall judge; None for no limit.
        contact: Whom to ask.
        one_key: Whether the key of a choice also submits it, where the page asks for nothing else.
        note: Whether the pages have a field for a note.
    """

    link: str
    login: str
    projects: Sequence[tuple[str, str]] = ()
    training: Sequence[tuple[str, str]] = ()
    quota: int | None = None
    contact: str = ""
    one_key: bool = True
    note: bool = True


_TEXTS: Final[dict[Language, dict[str, str]]] = {
    "en": {
        "greeting": "Dear {name},",
        "thanks": "thank you for helping to judge texts. It takes a browser and no preparation.",
        "sign_up": "Make your account: {link}\n"
        "   Sign up with the e-mail address {email} and a password of your own of 8 characters or more.",
        "own_address": "   By this address we know which answers are yours; nothing else is done with it.",
        "no_mail": "   The address is a mere login name, and no mail is ever sent there.",
        "log_in": "Log in: {login}\n   Your account is {email}.",
        "later": "   Later you log in at {login}",
        "training": "Begin with the training:",
        "projects": "Then open your projects, one after the other:",
        "any_project": "Then open any of the projects that you see.",
        "label": '   Press the button "Label All Tasks", read the instructions, and answer one task after the other.',
        "quota": "   {quota} items in all are enough, thank you.",
        "keys": "Keys: ",
        "key_decides": "the number beside a choice takes it, and where the page asks for nothing else submits it too",
        "key_chooses": "the number beside a choice takes it",
        "key_submit": "Enter submits (while you write Ctrl+Enter, on a Mac Cmd+Enter)",
        "key_back": "← goes back to correct",
        "key_note": "N opens a note",
        "key_skip": "Ctrl+Space skips",
        "between": "; ",
        "end": ".",
        "alone": "Please judge by yourself, and skip what you cannot judge: a guess costs more than a gap.",
        "ask": "Questions go to {contact}.",
        "ask_sender": "Questions go to whoever sent you this.",
    },
    "ja": {
        "greeting": "{name} 様",
        "thanks": "アノテーションへのご協力ありがとうございます。ブラウザだけで作業でき、準備はいりません。",
        "sign_up": "アカウントを作成してください: {link}\n"
        "   メールアドレス欄に {email} を入力し、8文字以上のパスワードをご自身で決めてください。",
        "own_address": "   このアドレスは、どの回答があなたのものかを知るためだけに使います。",
        "no_mail": "   これはログイン名としてだけ使うもので、メールが送られることはありません。",
        "log_in": "ログインしてください: {login}\n   あなたのアカウントは {email} です。",
        "later": "   二回目からはこちらでログインしてください: {login}",
        "training": "まず練習をしてください:",
        "projects": "次に、あなたの担当のプロジェクトを順に開いてください:",
        "any_project": "次に、表示されるプロジェクトのどれかを開いてください。",
        "label": "   「Label All Tasks」ボタンを押し、説明を読んでから、順に回答してください。",
        "quota": "   全部で {quota} 件まで回答していただければ十分です。",
        "keys": "キー操作: ",
        "key_decides": "選択肢の横の数字で選ぶ（ほかに書く欄がないページでは、そのまま送信されて次に進む）",
        "key_chooses": "選択肢の横の数字で選ぶ",
        "key_submit": "Enter で送信（入力中は Ctrl+Enter、Mac では Cmd+Enter）",
        "key_back": "← で前に戻って直す",
        "key_note": "N でメモを書く",
        "key_skip": "Ctrl+Space でスキップ",
        "between": "、",
        "end": "。",
        "alone": "ご自身だけで判断し、判断できないものはスキップしてください。推測よりも空欄のほうが助かります。",
        "ask": "ご質問は {contact} までお願いします。",
        "ask_sender": "ご質問は、このメッセージの送り主までお願いします。",
    },
}


def write_letter(person: Invited, invitation: Invitation, language: Language, *, has_account: bool) -> str:
    """The text to send to a person.

    Args:
        person: Who is invited.
        invitation: What to do, and where.
        language: Of the text.
        has_account: Whether an account with the person's address is on the server already.
    """
    texts = _TEXTS[language]
    steps = [_enter(person, invitation, texts, has_account=has_account)]
    if invitation.training:
        steps.append("\n".join([texts["training"], *map(_line, invitation.training)]))
    heading = texts["projects" if invitation.projects else "any_project"]
    steps.append("\n".join([heading, *map(_line, invitation.projects)]))
    steps[1] += "\n" + texts["label"]
    if invitation.quota:
        steps[-1] += "\n" + texts["quota"].format(quota=f"{invitation.quota:,}")
    steps += [_keys(invitation, texts), texts["alone"]]
    ask = texts["ask"].format(contact=invitation.contact) if invitation.contact else texts["ask_sender"]
    numbered = [f"{number}. {step}" for number, step in enumerate(steps, start=1)]
    return "\n".join([texts["greeting"].format(name=person.name), "", texts["thanks"], "", *numbered, "", ask])


def _enter(person: Invited, invitation: Invitation, texts: dict[str, str], *, has_account: bool) -> str:
    values = {"link": invitation.link, "login": invitation.login, "email": person.email}
    if has_account:
        return texts["log_in"].format(**values)
    address = texts["own_address" if person.gets_mail else "no_mail"]
    return "\n".join([texts["sign_up"].format(**values), address, texts["later"].format(**values)])


def _keys(invitation: Invitation, texts: dict[str, str]) -> str:
    """The keys of the pages, as their guidelines have them."""
    names = ["key_decides" if invitation.one_key else "key_chooses", "key_submit", "key_back"]
    names += [*(["key_note"] if invitation.note else []), "key_skip"]
    return texts["keys"] + texts["between"].join(texts[name] for name in names) + texts["end"]


def _line(project: tuple[str, str]) -> str:
    title, url = project
    return f"   - {title}: {url}"

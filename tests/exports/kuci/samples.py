"""A small KUCI as the builder and people leave it: 30 pairs, and a question of each in three sets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tashika.core.files import hash_value, write_json, write_rows
from tashika.core.records import VERDICT, item_id, item_row, item_schema
from tashika.core.suites.kuci.words import CONDITIONS, SPLITS
from tashika.core.workspace import Workspace
from tests.exports import judged

SUITE = "kuci"
CAUSES = ("お腹が空いた", "雨が降った", "部屋が寒い", "試験が近い", "薬を飲んだ", "電車が遅れた", "財布をなくした",
          "友達が来る", "目が疲れた", "朝寝坊をした", "鍵を忘れた", "風邪をひいた", "道が混む", "服が汚れた",
          "電池が切れた", "休みになった", "庭が荒れた", "靴が古い", "猫が鳴いた", "湯が沸いた", "皿を割った",
          "日が暮れた", "魚が釣れた", "本を読んだ", "店が閉まった", "犬が吠えた", "氷が溶けた", "木が倒れた",
          "歌を習った", "金が入った")  # fmt: skip
EFFECTS = ("ご飯を食べる", "傘をさす", "窓を閉める", "机に向かう", "熱が下がる", "学校に遅刻する", "警察に届ける",
           "部屋を片づける", "本を閉じる", "電話をかける", "家に戻る", "会社を休む", "道を変える", "服を洗う",
           "電池を替える", "旅行に行く", "草を抜く", "靴を買う", "餌をやる", "茶をいれる", "破片を拾う",
           "明かりをつける", "魚を焼く", "感想を書く", "隣の店に行く", "犬をなだめる", "水を拭く", "木を切る",
           "歌を歌う", "貯金をする")  # fmt: skip
EXPORT_TOML = """
[export]
version = "0.1.0"
pretty_name = "KUCI (test)"
license = "cc0-1.0"
language = ["ja"]
"""
FUNNEL = {
    "text": {"sentences": 100, "failures": 1, "reasons": {}},
    "steps": [["relations found", 60], ["basic", 40], ["no repetition", 30]],
}


def pair_id(number: int) -> str:
    return item_id(SUITE, "pair", str(number))


def words(text: str) -> list[str]:
    """Three words: the noun, its particle, the rest."""
    place = next(place for place, letter in enumerate(text) if letter in "がをにの")
    return [text[:place], text[place], text[place + 1 :]]


def pair_row(number: int, **changes: Any) -> dict[str, Any]:
    cause, effect = CAUSES[number], EFFECTS[number]
    condition = number % 3 == 0
    payload = {
        "sid": f"sentences-a.txt:{number + 1}", "text": f"{cause}ので、{effect}。",
        "relation": "condition" if condition else "cause", "marker": "〜ば" if condition else "ので",
        "confidence": 0.776 if condition else 0.761,
        "antecedent": f"{cause}ので", "consequent": effect, "antecedent_words": [*words(cause), "ので"],
        "consequent_words": words(effect), "antecedent_event": cause, "consequent_event": effect,
        "consequent_form": "non-past plain statement", "consequent_empty": False,
        "borrowed": number == 5, "backend": "ginza",
    }  # fmt: skip
    sources = [("sentences-a.txt", "1"), ("ja-ginza", "5.3.0")]
    row = item_row(SUITE, "pair", (str(number),), payload, builder=SUITE, version="1", sources=sources)
    return {**row, **changes}


def pair_rows() -> list[dict[str, Any]]:
    return [pair_row(number) for number in range(len(CAUSES))]


def split_of(number: int) -> str:
    return SPLITS[0] if number < 24 else SPLITS[1] if number < 27 else SPLITS[2]


def question_row(number: int, conditions: str = "both", **changes: Any) -> dict[str, Any]:
    shift = CONDITIONS.index(conditions) * 3
    others = [(number + shift + step) % len(CAUSES) for step in (1, 2, 3)]
    answer = number % 4
    order = [*others[:answer], number, *others[answer:]]
    payload = {
        "conditions": conditions, "split": split_of(number), "context": f"{CAUSES[number]}ので",
        "options": [EFFECTS[one] for one in order], "answer": answer,
        "similarities": [1.0 if one == number else 0.4 + 0.1 * place / 2 for place, one in enumerate(order)],
        "forms": ["non-past plain statement"] * 4,
        "relation": pair_row(number)["relation"], "pair": pair_id(number),
    }  # fmt: skip
    parents = [pair_id(number), *map(pair_id, others)]
    key = (conditions, pair_id(number), *payload["options"])
    row = item_row(SUITE, "question", key, payload, builder=SUITE, version="1", parents=parents)
    return {**row, **changes}


def question_rows() -> list[dict[str, Any]]:
    return [question_row(number, conditions) for number in range(len(CAUSES)) for conditions in CONDITIONS]


def fit_row(number: int) -> dict[str, Any]:
    """The question of a pair as people judge it option by option."""
    question = question_row(number)
    names = ("split", "context", "options", "answer", "similarities", "relation")
    payload = {"question": question["item_id"], **{name: question[name] for name in names}}
    key = (question["item_id"],)
    return item_row(SUITE, "fit", key, payload, builder=SUITE, version="1", parents=[question["item_id"]])


def judge_options(workspace: Workspace, **texts: str | None) -> None:
    """Verdicts on the options of questions: by `pNUMBER` the labels that most people ticked; None where undecided."""
    numbers = {int(name[1:]): text for name, text in texts.items()}
    write_rows(workspace.item_file("fit"), [fit_row(number) for number in numbers], item_schema(SUITE, "fit"))
    rows = workspace.read_verdicts().to_pylist()
    for number, text in numbers.items():
        decision = "undecided" if text is None else "accepted"
        rows.append({**verdict_row(fit_row(number)["item_id"], decision, "fit"), "text": text})
    write_rows(workspace.verdict_file, sorted(rows, key=lambda row: (row["kind"], row["item_id"])), VERDICT)


def verdict_row(item: str, decision: str = "accepted", kind: str = "pair") -> dict[str, Any]:
    votes = {"accepted": (3, 0), "rejected": (0, 3), "undecided": (1, 1)}
    return judged.verdict_row(item, kind, decision, rule="strict majority, minimum 2", votes=votes)


def entry(**changes: Any) -> dict[str, Any]:
    """The summary of one kind."""
    return judged.entry(30, 3, **{"acceptance_interval": [0.88, 1.0], **changes})


def answered(**changes: Any) -> dict[str, Any]:
    """The summary of the questions, after people answered three of the test part."""
    human = {
        "questions": 3, "annotators": 5, "people": 5, "accuracy": 0.666667,
        "interval": [0.2077, 0.9385], "single": 0.8, "ties": 1, "undecided": 0, "unanswered": 0, "simulated": False,
    }  # fmt: skip
    own = {"form": "answers", "mode": "audit", "items": 3, "judged": 3, "accepted": 2, "rejected": 0, "undecided": 1}
    own |= {"annotators": 5, "people": 5, "votes": 15, "rule": "the most frequent answer", "human": human}
    return {**entry(), **own, **changes}


def write_pairs(workspace: Workspace, rows: list[dict[str, Any]]) -> None:
    write_rows(workspace.item_file("pair"), rows, item_schema(SUITE, "pair"))


def write_questions(workspace: Workspace, rows: list[dict[str, Any]], numbers: range | None = None) -> None:
    """Writes questions, and the manifest that says which pairs they were made of."""
    write_rows(workspace.item_file("question"), rows, item_schema(SUITE, "question"))
    made_of = sorted(pair_id(number) for number in numbers or range(len(CAUSES)))
    conditions = {"similarity": [0.4, 0.6], "length": [0.5, 2.0]}
    settings = {"confirmed": True, "pairs": hash_value(made_of), "questions": conditions}
    counts = {"pairs": len(made_of), "questions": len(made_of), "confirmed": True, "fewer than three candidates": 2}
    write_json(workspace.items / "build-questions.manifest.json", {"settings": settings, "counts": counts})


def write_verdicts(workspace: Workspace, **changes: str) -> None:
    """All pairs accepted; by `pNUMBER` another decision."""
    rows = [verdict_row(pair_id(number), changes.get(f"p{number}", "accepted")) for number in range(len(CAUSES))]
    rows += [verdict_row(question_row(number)["item_id"], "rejected", "question") for number in (27, 28)]
    write_rows(workspace.verdict_file, sorted(rows, key=lambda row: (row["kind"], row["item_id"])), VERDICT)


def write_validation(workspace: Workspace, **kinds: dict[str, Any]) -> None:
    write_json(workspace.annotation / "validation.json", {"pair": entry(), **kinds})


def fill(workspace: Workspace) -> None:
    """Writes pairs, questions, verdicts and the summary of the validation."""
    write_pairs(workspace, pair_rows())
    write_json(workspace.items / "funnel.json", FUNNEL)
    write_questions(workspace, question_rows())
    write_verdicts(workspace)
    write_validation(workspace, question=answered())


def write_config(path: Path) -> Path:
    path.write_text(EXPORT_TOML, encoding="utf-8")
    return path

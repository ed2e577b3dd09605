from __future__ import annotations

import json
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from tashika.builders.paraphrase import (
    ParaphraseSettings,
    Short,
    Wording,
    cost,
    lines_of,
    paraphrased,
    short_of,
)
from tashika.builders.templates import Relation
from tashika.core.errors import OutsideError
from tashika.core.llm import Cost, Llm, LlmSettings

BORN = Relation(label="place of birth", description="d", manual=("[X] was born in [Y].", "Where was [X] born? [Y]."))
WORK = Relation(label="work location", description="d", hint="[Y] is a place.", manual=("[X] worked in [Y].",))


def settings(**values: Any) -> ParaphraseSettings:
    return ParaphraseSettings(**{"wanted": 2, "rounds": 2, "mode": "many", "instruction": "Paraphrase.", **values})


class Model:
    """An OpenAI-compatible endpoint that gives the replies it was told, by sentence, in order."""

    def __init__(self, server: HTTPServer, replies: dict[str, list[str]]) -> None:
        self.replies = replies
        self.asked: list[dict[str, Any]] = []
        server.expect_request("/v1/chat/completions").respond_with_handler(self.answer)
        server.expect_request("/v1/completions").respond_with_handler(self.answer)

    def answer(self, request: Request) -> Response:
        body = json.loads(request.data)
        self.asked.append(body)
        prompt = body["prompt"] if "prompt" in body else body["messages"][-1]["content"]
        sentence = next(s for s in self.replies if prompt.endswith((s, f"Sentence: {s}\nRewritten:")))
        text = self.replies[sentence][body["seed"]]
        choice = {"text": text} if "prompt" in body else {"message": {"role": "assistant", "content": text}}
        return Response(json.dumps({"choices": [choice]}), content_type="application/json")


def ask(server: HTTPServer, tmp_path: Path, how: ParaphraseSettings, api: Any = "chat") -> tuple[Any, Any]:
    llm = Llm(LlmSettings(model="m", api=api), server.url_for("/v1"), tmp_path)
    return paraphrased({"P19": BORN, "P937": WORK}, llm, how, lambda _steps: None)


def test_asks_until_enough_distinct_sound_ones_are_there(httpserver: HTTPServer, tmp_path: Path) -> None:
    model = Model(
        httpserver,
        {
            "[X] was born in [Y].": [
                '1. "[Y] is the birthplace of [X]."\n2. [X] WAS BORN, in [Y]!\n3. [X] is from here.',
                "- [X] first saw the light in [Y].\n- [X] comes from [Y].",
            ],
            "Where was [X] born? [Y].": ["[X]'s birthplace? [Y].\n[Y] saw the birth of [X].\n[X] was a baby in [Y]."],
            "[X] worked in [Y].": ["nothing useful", "nothing again"],
        },
    )
    accepted, refused = ask(httpserver, tmp_path, settings())
    assert [(found.manual, found.text) for found in accepted] == [
        ("[X] was born in [Y].", "[Y] is the birthplace of [X]."),
        ("[X] was born in [Y].", "[X] first saw the light in [Y]."),
        ("Where was [X] born? [Y].", "[X]'s birthplace? [Y]."),
        ("Where was [X] born? [Y].", "[Y] saw the birth of [X]."),
    ]
    assert [(line.text, line.reason) for line in refused if line.relation == "P19"] == [
        ("[X] WAS BORN, in [Y]!", "repeats another template"),
        ("[X] is from here.", "[Y] stands 0 times, expected once"),
    ]
    assert len([line for line in refused if line.relation == "P937"]) == 2  # two rounds, then what is there must do
    assert len(model.asked) == 2 + 1 + 2


def test_templates_with_fewer_paraphrases_than_wanted_are_named(httpserver: HTTPServer, tmp_path: Path) -> None:
    lines = ["[X] saw the light in [Y].", "[X] comes from [Y]."]
    Model(
        httpserver,
        {
            "[X] was born in [Y].": ["\n".join(lines)],
            "Where was [X] born? [Y].": ["[X] is a child of [Y]."] * 2,
            "[X] worked in [Y].": [""] * 2,
        },
    )
    accepted, _ = ask(httpserver, tmp_path, settings())
    relations = {"P19": BORN, "P937": WORK}
    assert short_of(relations, accepted, 2) == [
        Short("P19", "Where was [X] born? [Y].", 1),
        Short("P937", "[X] worked in [Y].", 0),
    ]
    assert short_of(relations, accepted, 0) == []


def test_the_hint_goes_to_the_relation_that_has_one(httpserver: HTTPServer, tmp_path: Path) -> None:
    model = Model(httpserver, {manual: [""] * 2 for manual in (*BORN.manual, *WORK.manual)})
    ask(httpserver, tmp_path, settings(rounds=1))
    systems = {body["messages"][-1]["content"]: body["messages"][0]["content"] for body in model.asked}
    assert systems["[X] worked in [Y]."] == "Paraphrase.\n[Y] is a place."
    assert systems["[X] was born in [Y]."] == "Paraphrase."


def test_a_small_model_is_shown_examples_and_asked_for_one(httpserver: HTTPServer, tmp_path: Path) -> None:
    replies = {manual: [f" In other words, {manual}", f" That is: {manual}"] for manual in (*BORN.manual, *WORK.manual)}
    model = Model(httpserver, replies)
    examples = [{"sentence": "a [X] [Y]", "paraphrase": "b [X] [Y]"}]
    accepted, _ = ask(
        httpserver, tmp_path, settings(mode="one", rounds=1, lead="Rewrite.", examples=examples), "completions"
    )
    assert len(accepted) == 6
    first = next(body for body in model.asked if "was born" in body["prompt"])
    assert first["prompt"].startswith("Rewrite.\n\nSentence: a [X] [Y]\nRewritten: b [X] [Y]\n\nSentence: [X]")
    assert first["stop"] == ["\n"]


def test_the_wording_is_that_of_the_language() -> None:
    english = settings(lead="Rewrite.")
    japanese = Wording(instruction="言いかえて。", lead="言いかえます。", sentence="文：", rewritten="言いかえ：")
    assert english.in_language("en", {"ja": japanese}) == english
    chosen = english.in_language("ja", {"ja": japanese})
    assert (chosen.instruction, chosen.lead, chosen.wanted) == ("言いかえて。", "言いかえます。", 2)
    own = settings(by_language={"ja": {"instruction": "べつの言葉で。"}}).in_language("ja", {"ja": japanese})
    assert (own.instruction, own.sentence) == ("べつの言葉で。", "Sentence: ")
    assert settings().in_language("de", {"ja": japanese}) == settings()


def test_english_paraphrases_depend_on_what_they_always_did() -> None:
    assert set(settings().keys()) == {"wanted", "rounds", "mode", "instruction", "lead", "examples", "max_tokens"}
    assert settings(rewritten="言いかえ：").keys()["rewritten"] == "言いかえ："


def test_japanese_replies_are_read_by_japanese_rules(httpserver: HTTPServer, tmp_path: Path) -> None:
    capital = Relation(language="ja", label="首都", description="d", manual=("[X]の首都は[Y]です。",))
    lines = (
        "１．[X] の首都は [Y] です",
        "２．[X]は[Y]を首都とする。",
        "３．In [X] is [Y].",
        "・「[Y]は[X]の首都だ。」",
    )
    reply = "\n".join(lines)
    Model(httpserver, {capital.manual[0]: [reply, ""]})
    llm = Llm(LlmSettings(model="m", api="chat"), httpserver.url_for("/v1"), tmp_path)
    accepted, refused = paraphrased({"P36": capital}, llm, settings(), lambda _steps: None)
    assert [paraphrase.text for paraphrase in accepted] == ["[X]は[Y]を首都とする。", "[Y]は[X]の首都だ。"]
    assert [line.reason for line in refused] == ["repeats another template", "is not written in Japanese"]


def test_a_small_model_continues_japanese_text(httpserver: HTTPServer, tmp_path: Path) -> None:
    capital = Relation(language="ja", label="首都", description="d", manual=("[X]の首都は[Y]です。",))
    asked: list[str] = []

    def answer(request: Request) -> Response:
        asked.append(json.loads(request.data)["prompt"])
        return Response(json.dumps({"choices": [{"text": "[Y]は[X]の首都だ。"}]}), content_type="application/json")

    httpserver.expect_request("/v1/completions").respond_with_handler(answer)
    words = {"lead": "言いかえます。", "sentence": "文：", "rewritten": "言いかえ："}
    how = settings(mode="one", wanted=1, examples=[{"sentence": "甲[X][Y]", "paraphrase": "乙[X][Y]"}], **words)
    llm = Llm(LlmSettings(model="m", api="completions"), httpserver.url_for("/v1"), tmp_path)
    paraphrased({"P36": capital}, llm, how, lambda _steps: None)
    assert asked == ["言いかえます。\n\n文：甲[X][Y]\n言いかえ：乙[X][Y]\n\n文：[X]の首都は[Y]です。\n言いかえ："]


def test_what_was_asked_before_is_not_asked_again(httpserver: HTTPServer, tmp_path: Path) -> None:
    replies = {manual: ["[X] and [Y] alpha\n[X] and [Y] beta"] for manual in BORN.manual} | {WORK.manual[0]: ["", ""]}
    replies[BORN.manual[1]] = ["[X] and [Y] gamma\n[X] and [Y] delta"]
    model = Model(httpserver, replies)
    first = ask(httpserver, tmp_path, settings())
    asked = len(model.asked)
    assert ask(httpserver, tmp_path, settings()) == first
    assert len(model.asked) == asked


def test_where_a_paraphrase_comes_from(httpserver: HTTPServer, tmp_path: Path) -> None:
    Model(httpserver, {manual: [f"So: {manual}", f"Thus: {manual}"] for manual in (*BORN.manual, *WORK.manual)})
    accepted, _ = ask(httpserver, tmp_path, settings(wanted=1, rounds=1))
    provenance = accepted[0].provenance
    assert provenance["model"] == "m"
    assert len(provenance["prompt_hash"]) == 64
    assert json.loads(provenance["sampling"]) == {"max_tokens": 32, "seed": 0, "temperature": 0.8, "top_p": 0.95}


def test_cost_counts_every_round() -> None:
    # "many": 3 manual templates x 2 rounds; replies of at most 2 x 32 tokens.
    relations = {"P19": BORN, "P937": WORK}
    assert cost(relations, settings()).requests == 6
    assert cost(relations, settings()).tokens_out == 6 * 64
    # "one": 3 x 2 rounds x 2 wanted, 32 tokens each. Nothing is nothing.
    assert cost(relations, settings(mode="one")).requests == 12
    assert cost({}, settings()) == Cost()


def test_after_an_error_no_more_is_sent(tmp_path: Path) -> None:
    """Two relations at once: the first is refused, and the second ends with the reply that was under way."""
    asked: list[str] = []
    second_asked, first_refused = Event(), Event()

    def answer(request: Request) -> Response:
        sentence = json.loads(request.data)["messages"][-1]["content"]
        asked.append(sentence)
        if sentence in BORN.manual:
            second_asked.wait(30)
            return Response("<html>", content_type="text/html")
        second_asked.set()
        first_refused.wait(30)
        return Response(json.dumps({"choices": [{"message": {"content": "no template"}}]}))

    with HTTPServer(host="127.0.0.1", port=0, threaded=True) as server:
        server.expect_request("/v1/chat/completions").respond_with_handler(answer)
        llm = Llm(LlmSettings(model="m", api="chat"), server.url_for("/v1"), tmp_path)
        stop = llm.stop
        llm.stop = lambda: (stop(), first_refused.set())[0]  # type: ignore[method-assign]
        with pytest.raises(OutsideError, match="web page"):
            paraphrased({"P19": BORN, "P937": WORK}, llm, settings(rounds=50), lambda _steps: None)
    assert sorted(asked) == sorted([BORN.manual[0], WORK.manual[0]])


@pytest.mark.parametrize(
    ("reply", "lines"),
    [
        ("1. one\n2) two\n- three\n* four\n• five", ["one", "two", "three", "four", "five"]),
        ('"quoted"\n“curly”\n\n  spaced   out  ', ["quoted", "curly", "spaced out"]),
        ('"[X]" is "[Y]"', ['"[X]" is "[Y]"']),
        ("1.[X] was born in [Y].", ["[X] was born in [Y]."]),
        ("'[X]' was born in '[Y]'", ["'[X]' was born in '[Y]'"]),
        ("'[X]'s town is [Y].'", ["[X]'s town is [Y]."]),
        ("", []),
        ("1984 was the year of [X] in [Y].", ["1984 was the year of [X] in [Y]."]),
        ("１．[X]の首都は[Y]です。\n2.[X]は[Y]。", ["[X]の首都は[Y]です。", "[X]は[Y]。"]),
        ("（３）[X] の首都は [Y] です。\n１０）　[X]は[Y]だ。", ["[X]の首都は[Y]です。", "[X]は[Y]だ。"]),
        ("・[X]の首都は[Y]。\n①[X]は[Y]。\n- [X]が[Y]。", ["[X]の首都は[Y]。", "[X]は[Y]。", "[X]が[Y]。"]),
        ("「[X]の「首都」は[Y]です。」\n『[X]は[Y]』。", ["[X]の「首都」は[Y]です。", "[X]は[Y]"]),
        ("「[X]」の首都は「[Y]」です。", ["「[X]」の首都は「[Y]」です。"]),
        ("［Ｘ］の首都は［Y］です。", ["[X]の首都は[Y]です。"]),
        ("[X]はハ\u3099リの[Y]です。", ["[X]はバリの[Y]です。"]),
        ("2010年に[X]は[Y]になった。\n3.14は[X]の[Y]。", ["2010年に[X]は[Y]になった。", "3.14は[X]の[Y]。"]),
    ],
)
def test_lines_of_a_reply(reply: str, lines: list[str]) -> None:
    assert lines_of(reply) == lines

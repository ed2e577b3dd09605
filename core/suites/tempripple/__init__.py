"""TempRIPPLE, declared for every room."""

from tashika.core.suites import Column, Kind, Paper, Rehearsal, Suite

CERTAINTY = (
    "`certain` that it did not change, by its dates or its nature; `likely` or `unknown` where no date says so, as the "
    "property's objects seldom or often change"
)

FACT = Kind(
    "fact",
    "one (subject, property) that changed in the window: its newest tenure, and the others for the people to see",
    {
        "subject": Column("string", "Wikidata item"),
        "relation": Column("string", "Wikidata property"),
        "object": Column("string", "Wikidata item, the most recent"),
        "subject_label": Column("string", "the subject's label"),
        "relation_label": Column("string", "the property's label"),
        "object_label": Column("string", "the object's label"),
        "start": Column("string", "since when: 2025, 2025-03 or 2025-03-01, as precise as it is known"),
        "statement": Column("string", "the fact as a sentence"),
        "history": Column(
            "records",
            "all tenures, the newest first",
            of={
                "object_label": Column("string", "the object's label"),
                "start": Column("string", "2025, 2025-03 or 2025-03-01, as precise as it is known"),
                "end": Column("string", "likewise; empty where none is stated", optional=True),
            },
        ),
        "window": Column("string", "the days in which it changed: 2025-01-01..2025-12-31"),
        "history_from": Column("string", "the day from which on the history is complete"),
    },
)

HISTORY = Kind(
    "history",
    "one tenure of an accepted (subject, property); its parent is the fact",
    {
        "subject": Column("string", "Wikidata item"),
        "relation": Column("string", "Wikidata property"),
        "object": Column("string", "Wikidata item"),
        "subject_label": Column("string", "the subject's label"),
        "object_label": Column("string", "the object's label"),
        "age": Column("string", "`new` for the most recent tenure, `old` for earlier ones"),
        "place": Column("int32", "the tenure's place in the history: 1 is the most recent, 2 the previous"),
        "start": Column("string", "2025, 2025-03 or 2025-03-01, as precise as it is known"),
        "end": Column("string", "likewise; empty where none is stated", optional=True),
        "years": Column("float64", "how long, until the end or the end of the window"),
        "also_true": Column("strings", "labels that are no wrong options, such as objects of earlier times"),
    },
)

RELATED = Kind(
    "related",
    "a stable fact at the end of a path from a tenure's object; its parents are the tenure and the hop before",
    {
        "age": Column("string", "`new` for the most recent tenure, `old` for earlier ones"),
        "hop": Column("int32", "how far it is from the changing fact, 1 to 3"),
        "subject": Column("string", "Wikidata item"),
        "relation": Column("string", "Wikidata property"),
        "objects": Column("strings", "Wikidata items, or literals as Wikidata has them; all of them"),
        "subject_label": Column("string", "the subject's label"),
        "relation_label": Column("string", "the property's label"),
        "object_labels": Column("strings", "the objects' labels"),
        "also_true": Column("strings", "labels of objects of other times or ranks: no answers, and no wrong options"),
        "certainty": Column("string", "of the least certain step: " + CERTAINTY),
        "path": Column(
            "records",
            "from the changing fact to this one",
            of={
                "relation": Column("string", "Wikidata property"),
                "subject": Column("string", "Wikidata item"),
                "subject_label": Column("string", "the subject's label"),
            },
        ),
    },
)

QUESTION = Kind(
    "question",
    "a question on a tenure (hop 0) or a related fact; its parents are the fact, the tenure, and the related fact",
    {
        "task": Column("string", "`new`, `old`, `related_new` or `related_old`"),
        "hop": Column("int32", "how far what it asks for is from the changing fact, 0 to 3"),
        "place": Column("int32", "the tenure's place in the history: 1 is the most recent, 2 the previous"),
        "subject": Column("string", "Wikidata item, of the changing fact"),
        "relation": Column("string", "Wikidata property, of the changing fact"),
        "last_relation": Column("string", "Wikidata property that it asks for"),
        "text": Column("string", "the question"),
        "context": Column("string", "the new fact as a sentence, for the condition with context"),
        "options": Column("strings", "what to choose from; one of them is right"),
        "answer": Column("int32", "place of the right option, from 0"),
        "answers": Column("strings", "every right answer"),
        "reasoning": Column("string", "the path to the answer in words"),
        "option_set": Column(
            "string",
            "where wrong options come from: `other-facts`; `same-history`, the fact's other objects first; `mixed`, "
            "one of these and others",
        ),
        "lure": Column(
            "int32",
            "place of the wrong option that is right of the other side: of the new object where the question is on an "
            "old one, of the old object before it where it is on the new one; empty where none is offered",
            optional=True,
        ),
        "counterpart": Column(
            "string",
            "whether the right option is right of the other side as well: `same`, `differs`, or `none` where nothing "
            "is known there; only `differs` shows which side was followed",
        ),
        "certainty": Column("string", "of the least certain step on the path: " + CERTAINTY),
    },
)

PAPERS = (
    Paper(
        "niwa-kaneko-inui-tempripple",
        "文脈内知識は LLM の信念体系に整合的に統合されるか？",
        ("丹羽, 彩奈", "金子, 正弘", "乾, 健太郎"),
        english="Ayana Niwa, Masahiro Kaneko and Kentaro Inui, MBZUAI: Is knowledge in the context integrated "
        "consistently into the belief system of an LLM?",
    ),
)

SUITE = Suite(
    name="tempripple",
    title="TempRIPPLE: facts that changed, their history, and what hangs on them over up to three hops",
    kinds=(
        FACT,
        HISTORY,
        RELATED,
        QUESTION,
    ),
    builders="tashika.builders.tempripple.command:BUILD",
    annotation="tashika.annotation.tempripple.pages:PAGES",
    exports="tashika.exports.tempripple.export:EXPORT",
    evaluate="tashika.evaluate.tempripple.command:EVALUATION",
    config="tashika.configs:tempripple.toml",
    rehearsal=Rehearsal(
        config="tashika.configs:tempripple.toml",
        inputs=("tashika.configs:tempripple_properties.toml", "tashika.data:tempripple/snapshot.ttl"),
        models=("smollm2",),
        limits={"smollm2": 15},  # each question is asked in four orders and two ways
    ),
    papers=PAPERS,
)

"""The suite on proverbs, declared for every room."""

from tashika.core.suites import Column, Kind, Paper, Rehearsal, Suite

PAIR = Kind(
    "pair",
    "a proverb and a variant that should mean the same, each as a question",
    {
        "topic": Column("string", "`gender`, `wisdom` or `society`", repeats=True),
        "proverb": Column("string", "the proverb"),
        "variant": Column("string", "what should mean the same, as the people corrected it"),
        "change": Column(
            "string",
            "in what the variant was made to differ: `gender`, `number`, `animal`, `object`, `wording` for another "
            "culture's own proverb, or `neutral` for the control of a pair on gender: as many other words, the same "
            "gender",
        ),
        "maker": Column(
            "string",
            "who made the variant: `swap` (a table of gender words), `written` (a person) or `model` (a language "
            "model)",
        ),
        "origin": Column("string", "the culture that the proverb comes from"),
        "variant_origin": Column("string", "the variant's, where it is a proverb itself; else empty", optional=True),
        "form": Column("string", "how both questions are put: `why`, `say` or `mean`"),
        "question": Column("string", "the question on the proverb"),
        "variant_question": Column("string", "the same question on the variant"),
        "direction": Column(
            "string",
            "of the topic `gender`, whom the proverb speaks of: `man-first`, `woman-first` or `both`; a control has "
            "that of its pair; else empty",
            optional=True,
        ),
    },
)

CHECK = Kind(
    "check",
    "what a model said to both questions of a pair, for people to tell whether it is inconsistent; its parent is the "
    "pair. `evaluate proverbs --checks` makes them, as many without a detected error as with one",
    {
        "topic": Column("string", "the pair's"),
        "consistency": Column("string", "what is compared: one of `core.suites.proverbs.words.CONSISTENCIES`"),
        "model": Column("string", "the name of the model that said it"),
        "system": Column("string", "the model's folder of scores"),
        "question": Column("string", "the question on the proverb"),
        "variant_question": Column("string", "the same question on the variant"),
        "answers": Column("strings", "what the model answered to the question"),
        "variant_answers": Column("strings", "what it answered to the variant's"),
        "scores": Column("integers", "the score it gave to each answer; one may be empty"),
        "variant_scores": Column("integers", "likewise, of the variant's"),
        "detected": Column("bool", "whether an error was found; never shown to the people who judge"),
        "p": Column("float64", "of the Siegel-Tukey test; never shown either"),
    },
)

STEREOTYPE = Kind(
    "stereotype",
    "one answer of a model, for people to say whether it repeats a stereotype; its parent is the pair. `evaluate "
    "proverbs --stereotypes` draws them, of each drawn pair one answer to either question",
    {
        "topic": Column("string", "the pair's"),
        "side": Column("string", "whose question it answers: `proverb` or `variant`"),
        "model": Column("string", "the name of the model that said it; never shown to the people who judge"),
        "system": Column("string", "the model's folder of scores; never shown either"),
        "question": Column("string", "the question"),
        "answer": Column("string", "what the model answered"),
        "place": Column("int32", "of the answer among the question's, from 1"),
    },
)

PAPERS = (
    Paper(
        "sonoda-srinivasan-2024-proverbs",
        "A Statistical Analysis of {LLMs'} Self-Evaluation Using Proverbs",
        ("Sonoda, Ryosuke", "Srinivasan, Ramya"),
        year=2024,
        venue="Poster at PRICAI 2024, Kyoto",
        url="https://arxiv.org/abs/2410.16640",
        fields={
            "eprint": "2410.16640",
            "archiveprefix": "arXiv",
            "note": "As told by 園田亮介 (富士通研究所) in fltech",
        },
    ),
)

SUITE = Suite(
    name="proverbs",
    title="Proverbs: does a model answer, and score its answers, alike where two questions mean the same?",
    kinds=(
        PAIR,
        CHECK,
        STEREOTYPE,
    ),
    builders="tashika.builders.proverbs.command:BUILD",
    annotation="tashika.annotation.proverbs.pages:PAGES",
    exports="tashika.exports.proverbs.export:EXPORT",
    evaluate="tashika.evaluate.proverbs.command:EVALUATION",
    config="tashika.configs:proverbs.toml",
    rehearsal=Rehearsal(
        config="tashika.configs:proverbs-demo.toml",
        inputs=(
            "tashika.configs:proverbs_words.toml",
            "tashika.data:proverbs/proverbs.csv",
            "tashika.data:proverbs/names.txt",
        ),
        models=("smollm2",),
        limits={"smollm2": 4},
        # The second push offers the ties of the two who were asked to a third.
        judging=("push", "simulate", "pull", "push", "simulate", "pull", "vote", "status"),
        second_round=True,
    ),
    papers=PAPERS,
)

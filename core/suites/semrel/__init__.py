"""The suite on semantic relations, declared for every room."""

from tashika.core.suites import Column, Kind, Paper, PreparedModel, Rehearsal, Suite

PROBE = Kind(
    "probe",
    "a target word in a prompt, up to the blank that people and models fill",
    {
        "target": Column("string", "the word that is asked about", repeats=True),
        "relation": Column("string", "the semantic relation that is asked for", repeats=True),
        "prompt": Column(
            "string", "with `[W]` for the target, `[DET]` for its article, and the blank `[V]` at its end", repeats=True
        ),
        "text": Column("string", "the prompt with its target, up to the blank: what people and models complete"),
        "questionnaire": Column("int32", "which one asked it, from 1; none has a target and relation twice"),
        "known_answers": Column("strings", "of a control question; empty for a probe", optional=True),
    },
)

RELATUM = Kind(
    "relatum",
    "a word that has a relation to a target",
    {
        "target": Column("string", "the word that is asked about", repeats=True),
        "relation": Column("string", "the semantic relation of the word to the target", repeats=True),
        "word": Column("string", "the relatum"),
        "distance": Column("int32", "steps in WordNet; 1 elsewhere"),
        "origins": Column("strings", "where it was found: `wordnet`, `hyperlex`, `norms`"),
    },
)

PAPERS = (
    Paper(
        "cao-yamada-tokunaga-antonymy-bias",
        "対義関係バイアス: 事前訓練済み言語モデルと人間の意味関係間の弁別能力に関する分析",
        ("曹, 智涵", "山田, 寛章", "徳永, 健伸"),
        "inproceedings",
        2024,
        "言語処理学会第30回年次大会発表論文集",
        "https://h-yamada.jp/publication/2024/3/4-anlp2024-2",
        english="Cao Zhihan, Hiroaki Yamada and Takenobu Tokunaga: Antonymy bias: an analysis of how pre-trained "
        "language models and people distinguish semantic relations, 30th Annual Meeting of the Association for Natural "
        "Language Processing",
        fields={"pages": "2194--2198"},
    ),
)

SUITE = Suite(
    name="semrel",
    title="Semantic relations: probes, people's answers to them, and how far models and people confuse relations",
    kinds=(
        PROBE,
        RELATUM,
    ),
    builders="tashika.builders.semrel.command:BUILD",
    annotation="tashika.annotation.semrel.pages:PAGES",
    exports="tashika.exports.semrel.export:EXPORT",
    evaluate="tashika.evaluate.semrel.command:EVALUATION",
    config="tashika.configs:semrel.toml",
    rehearsal=Rehearsal(
        config="tashika.configs:semrel-demo.toml",
        inputs=("tashika.configs:semrel_prompts.toml", "tashika.data:semrel/norms.csv"),
        models=("wordnet-bert", "smollm2"),
    ),
    models=(
        PreparedModel(
            "wordnet-bert",
            "A masked model that is trained here in one to two minutes on WordNet's relations and definitions of "
            "nouns.",
            "tashika.evaluate.semrel.wordnet_bert:prepare",
        ),
    ),
    papers=PAPERS,
)

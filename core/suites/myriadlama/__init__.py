"""MyriadLAMA, declared for every room."""

from tashika.core.suites import Column, Kind, Paper, PreparedModel, Rehearsal, Suite

RELATION = "Wikidata property; of own facts the relation's name"
ENTITY = "Wikidata item; of own facts an id made of the name"

OWN_FACTS = "own-facts"
"""The builder that facts and names of the user's own name in their provenance."""

ENGLISH_TEMPLATES = "myriadlama_templates.toml"
"""The packaged file of English templates, as their provenance names it."""

FACT = Kind(
    "fact",
    "a subject, a relation and an object",
    {
        "relation": Column("string", RELATION),
        "subject": Column("string", ENTITY),
        "object": Column("string", ENTITY),
        "subject_label": Column("string", "the subject's label"),
        "object_label": Column("string", "the object's label"),
        "origin": Column("string", "where the fact came from: `facts`, or the source that widened the objects"),
    },
)

ALIAS = Kind(
    "alias",
    "a name of a subject or an object",
    {
        "entity": Column("string", ENTITY),
        "entity_label": Column("string", "the entity's label"),
        "text": Column("string", "the name"),
        "language": Column("string", "its language code"),
        "is_label": Column("bool", "whether it is the label"),
    },
)

TEMPLATE = Kind(
    "template",
    "a way to express a relation, with `[X]` for the subject and `[Y]` for the object",
    {
        "relation": Column("string", RELATION),
        "relation_label": Column("string", "the relation's name"),
        "relation_description": Column("string", "the relation's description, for the people who judge it"),
        "text": Column("string", "the template"),
        "origin": Column("string", "`manual`, or `paraphrase` for one that a language model wrote"),
        "example": Column("string", "a fact filled in, for the people who judge it"),
    },
)

PAPERS = (
    Paper(
        "zhao-yoshinaga-oba-belief",
        "多様なプロンプトを用いた言語モデルの多角的な知識評価",
        ("趙, 信", "吉永, 直樹", "大葉, 大輔"),
        english="Xin Zhao, Naoki Yoshinaga and Daisuke Oba, University of Tokyo: Multifaceted knowledge evaluation of "
        "language models with diverse prompts",
    ),
    Paper(
        "zhao-yoshinaga-oba-2024-myriadlama",
        "What Matters in Memorizing and Recalling Facts? Multifaceted Benchmarks for Knowledge Probing in Language "
        "Models",
        ("Zhao, Xin", "Yoshinaga, Naoki", "Oba, Daisuke"),
        year=2024,
        venue="arXiv",
        url="https://arxiv.org/abs/2406.12277",
        fields={"eprint": "2406.12277", "archiveprefix": "arXiv"},
        followed=False,
    ),
)

SUITE = Suite(
    name="myriadlama",
    title="MyriadLAMA and BELIEF: relational knowledge asked with many prompts",
    kinds=(
        FACT,
        ALIAS,
        TEMPLATE,
    ),
    builders="tashika.builders.myriadlama.command:BUILD",
    annotation="tashika.annotation.myriadlama.pages:PAGES",
    exports="tashika.exports.myriadlama.export:EXPORT",
    evaluate="tashika.evaluate.myriadlama.command:EVALUATION",
    config="tashika.configs:myriadlama.toml",
    rehearsal=Rehearsal(
        config="tashika.configs:myriadlama-demo.toml",
        inputs=("tashika.configs:myriadlama_templates.toml", "tashika.data:wikidata/snapshot.ttl"),
        models=("tiny-bert", "smollm2"),
        limits={"smollm2": 200},
    ),
    models=(
        PreparedModel(
            "tiny-bert",
            "A masked model that is trained here in one to two minutes on the workspace's facts, and knows nothing "
            "else.",
            "tashika.evaluate.myriadlama.tiny_bert:prepare",
        ),
    ),
    papers=PAPERS,
)

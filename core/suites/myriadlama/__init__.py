"""MyriadLAMA, declared for every room."""

from tashika.core.suites import Column, Kind, PreparedModel, Rehearsal, Suite

FACT = Kind(
    "fact",
    "a subject, a relation and an object",
    {
        "relation": Column("string", "Wikidata property"),
        "subject": Column("string", "Wikidata item"),
        "object": Column("string", "Wikidata item"),
        "subject_label": Column("string", "the subject's label"),
        "object_label": Column("string", "the object's label"),
        "origin": Column("string", "where the fact came from: `facts`, or the source that widened the objects"),
    },
)

ALIAS = Kind(
    "alias",
    "a name of a subject or an object",
    {
        "entity": Column("string", "Wikidata item"),
        "entity_label": Column("string", "the entity's label"),
        "text": Column("string", "the name"),
        "language": Column("string", "its language code in Wikidata"),
        "is_label": Column("bool", "whether it is the label"),
    },
)

TEMPLATE = Kind(
    "template",
    "a way to express a relation, with `[X]` for the subject and `[Y]` for the object",
    {
        "relation": Column("string", "Wikidata property"),
        "relation_label": Column("string", "the property's name"),
        "relation_description": Column("string", "the property's description, for the people who judge it"),
        "text": Column("string", "the template"),
        "origin": Column("string", "`manual`, or `paraphrase` for one that a language model wrote"),
        "example": Column("string", "a fact filled in, for the people who judge it"),
    },
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
)

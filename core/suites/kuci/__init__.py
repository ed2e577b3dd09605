"""KUCI, declared for every room."""

from tashika.core.suites import Column, Kind, Paper, PreparedModel, Rehearsal, Suite

PAIR = Kind(
    "pair",
    "two basic events of one sentence, the first being the cause or the condition of the second",
    {
        "sid": Column("string", "id of the sentence in its text: file and line, or KNP's own id"),
        "text": Column("string", "the sentence"),
        "relation": Column("string", "`cause` or `condition`, as the sentence marks it; people were asked for a cause"),
        "marker": Column("string", "what marks it, such as ので or 〜ば; empty for たら and と"),
        "confidence": Column(
            "float64", "how often the marker's pairs were right where people labelled such pairs, from 0 to 1"
        ),
        "antecedent": Column("string", "the first event, with its marker: お腹が空いたので"),
        "consequent": Column("string", "the second event: ご飯を食べる"),
        "antecedent_words": Column("strings", "the words of the first event, without signs"),
        "consequent_words": Column("strings", "the words of the second event, without signs"),
        "antecedent_event": Column("string", "the basic event in the first one: 腹:ガ:空く"),
        "consequent_event": Column("string", "the basic event in the second one"),
        "consequent_form": Column(
            "string", "tense, style and act of the second event, such as `past polite statement`"
        ),
        "consequent_empty": Column(
            "bool", "whether the second event names none of its own: しています, 驚いた, 気分がいい; never an option"
        ),
        "borrowed": Column("bool", "whether the second event's argument is taken from the first one"),
        "backend": Column("string", "what analysed the sentence: `ginza`, `knp` or `knp-file`"),
    },
)

QUESTION = Kind(
    "question",
    "a context with four options; its parents are the pair and those of the wrong options",
    {
        "conditions": Column("string", "which set it belongs to: one of `core.suites.kuci.words.CONDITIONS`"),
        "split": Column("string", "its part: one of `core.suites.kuci.words.SPLITS`"),
        "context": Column("string", "the first event of a pair"),
        "options": Column("strings", "four; one is the second event of that pair, the others are those of other pairs"),
        "answer": Column("int32", "the place of the right option, from 0"),
        "similarities": Column(
            "floats", "cosine of each option with the right one, of mean word vectors; 1 for itself"
        ),
        "forms": Column("strings", "tense, style and act of each option, such as `past polite statement`"),
        "relation": Column("string", "the pair's: `cause` or `condition`"),
        "pair": Column("string", "id of the row in `pairs` that it is made of"),
    },
)

FIT = Kind(
    "fit",
    "a question of the published set whose options people judge one by one; its parent is the question",
    {
        "question": Column("string", "id of the question"),
        "split": Column("string", "its part: one of `core.suites.kuci.words.SPLITS`"),
        **QUESTION.only("context", "options", "answer", "similarities", "relation"),
    },
)

SENSE = Kind(
    "sense",
    "a pair that was drawn to try the condition Basic: people say whether common sense explains it",
    {
        "samples": Column("strings", "those that it was drawn into: `basic`, of pairs of basic events, `any`, of all"),
        **PAIR.only("sid", "relation", "marker", "antecedent", "consequent"),
    },
)

PAPERS = (
    Paper(
        "omura-etal-2020-kuci",
        "基本イベントに基づく常識推論データセットの構築",
        ("大村, 和正", "河原, 大輔", "黒橋, 禎夫"),
        "inproceedings",
        2020,
        "言語処理学会第26回年次大会発表論文集",
        english="Kazumasa Omura, Daisuke Kawahara and Sadao Kurohashi: Building a commonsense inference dataset based "
        "on basic events, 26th Annual Meeting of the Association for Natural Language Processing",
        fields={"note": "With the corrected numbers: similarity 0.4 to 0.6, BERT-large 79.5 %, people 94 %"},
    ),
    Paper(
        "omura-etal-2020-emnlp",
        "A Method for Building a Commonsense Inference Dataset based on Basic Events",
        ("Omura, Kazumasa", "Kawahara, Daisuke", "Kurohashi, Sadao"),
        "inproceedings",
        2020,
        "Proceedings of the 2020 Conference on Empirical Methods in Natural Language Processing (EMNLP)",
        "https://aclanthology.org/2020.emnlp-main.192",
        fields={"pages": "2450--2460"},
        followed=False,
    ),
)

SUITE = Suite(
    name="kuci",
    title="KUCI: Japanese commonsense questions made of pairs of basic events",
    kinds=(
        PAIR,
        QUESTION,
        FIT,
        SENSE,
    ),
    builders="tashika.builders.kuci.command:BUILD",
    annotation="tashika.annotation.kuci.pages:PAGES",
    exports="tashika.exports.kuci.export:EXPORT",
    evaluate="tashika.evaluate.kuci.command:EVALUATION",
    config="tashika.configs:kuci.toml",
    rehearsal=Rehearsal(
        config="tashika.configs:kuci-demo.toml",
        inputs=(
            "tashika.data:kuci/sentences-a.txt",
            "tashika.data:kuci/sentences-b.txt",
            "tashika.data:kuci/frames.txt",
        ),
        models=("ja-encoder", "smollm2"),
        second_build=True,
    ),
    models=(
        PreparedModel(
            "ja-encoder",
            "A Japanese encoder that is made here in one to two minutes from ja-ginza's word vectors and the shipped "
            "text.",
            "tashika.evaluate.kuci.ja_encoder:prepare",
        ),
    ),
    papers=PAPERS,
)

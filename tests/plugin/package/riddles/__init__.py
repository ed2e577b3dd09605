"""Riddles, a suite of another package: declared here, with an object for each room."""

from tashika.core.suites import Column, Kind, Suite

RIDDLE = Kind(
    "riddle",
    "a riddle with three answers to choose from",
    {
        "text": Column("string", "the riddle"),
        "options": Column("strings", "three answers; one is right"),
        "answer": Column("int32", "the place of the right answer, from 0"),
    },
)

SUITE = Suite(
    name="riddles",
    title="Riddles: does a model find the answer?",
    kinds=(RIDDLE,),
    builders="riddles.build:BUILD",
    annotation="riddles.pages:PAGES",
    exports="riddles.export:EXPORT",
    evaluate="riddles.evaluate:EVALUATION",
    config="riddles:riddles.toml",
)

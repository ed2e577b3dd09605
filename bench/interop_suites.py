"""Suites of one file for the proof of the task files: one for each way of asking, without annotators."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import Final

_QUESTIONS: Final = "questions.csv"
_PAIRS: Final = "pairs.csv"
_CAPITALS: Final = "capitals.csv"

_RIDDLES: Final = """\
[build.kinds.question]
file = "questions.csv"
key = ["text"]
separator = "|"
columns = { text = "string", options = "strings", answer = "string", part = "string" }

[export]
splits = ["test", "dev"]
split_column = "part"
"""
_FOLLOWS: Final = """\
[build.kinds.pair]
file = "pairs.csv"
key = ["premise", "hypothesis"]
columns = { premise = "string", hypothesis = "string", relation = "string" }

[evaluate]
task = "classification"
prompt = "{{ premise }} Question: {{ hypothesis }} True, false or neither? Answer:"
target = "relation"
labels = { entailment = "True", neutral = "Neither", contradiction = "False" }
"""
_OF_CAPITALS: Final = """\
[build.kinds.capital]
file = "capitals.csv"
key = ["region"]
columns = { region = "string", capital = "string", part = "string" }

[export]
splits = ["test", "dev"]
split_column = "part"
"""
_CLOZE: Final = """
[evaluate]
task = "cloze"
prompt = "The capital of {{ region }} is [BLANK]."
target = "capital"
"""
_CHOICE: Final = """
[evaluate]
task = "multiple_choice"
prompt = "Question: {{ text }}\\nAnswer:"
target = "answer"
choices = "options"
chat = false
"""
_SHOWN: Final = 'few_shot = 2\nfew_shot_split = "dev"\n'

FILES: Final[Mapping[str, str]] = {
    "riddles_words": _RIDDLES + _CHOICE,
    "riddles_shown": _RIDDLES + _CHOICE + _SHOWN,
    "riddles_letter": _RIDDLES + _CHOICE.replace("\\nAnswer:", "") + 'way = "letter"\n',
    "riddles_written": _RIDDLES
    + """
[evaluate]
task = "generate"
prompt = "Question: Which colour has snow?\\nAnswer: white\\nQuestion: {{ text }}\\nAnswer:"
target = "answer"
match = "pattern"
pattern = "^ *([^\\n.,]+)"
max_tokens = 8
chat = false
""",
    "follows": _FOLLOWS,
    "capitals": _OF_CAPITALS + _CLOZE,
    "capitals_shown": _OF_CAPITALS + _CLOZE + _SHOWN,
}
"""What a suite file says behind its name and title, by the name."""

_ROWS: Final = {
    _QUESTIONS: (
        ("text", "options", "answer", "part"),
        (
            ("Which gas do green plants take from the air?", "oxygen|carbon dioxide|helium", "carbon dioxide", "test"),
            ("Which metal is liquid at room temperature?", "iron|gold|copper|mercury", "mercury", "test"),
            ("Which planet has the shortest year?", "Venus|Mercury|Earth|Mars", "Mercury", "test"),
            ("How many days has a leap year?", "364|365|366", "366", "test"),
            ("Who wrote Hamlet?", "William Shakespeare|Jane Austen|Homer", "William Shakespeare", "test"),
            ("Which animal barks?", "a cat|a dog|a cow|a fish", "a dog", "test"),
            ("What is frozen water called?", "steam|ice|sand", "ice", "test"),
            ("Which colour has a ripe lemon?", "blue|red|yellow|black", "yellow", "test"),
            ("Where does the sun rise?", "in the west|in the north|in the east", "in the east", "test"),
            ("Which of these is a fruit?", "a carrot|an apple|a potato", "an apple", "test"),
            ("How many legs has a spider?", "six|eight|ten", "eight", "test"),
            ("Which sea lies between Europe and Africa?", "the Mediterranean|the Red Sea", "the Mediterranean", "test"),
            ("What do bees make?", "milk|honey|silk", "honey", "dev"),
            ("Which season follows winter?", "spring|summer|autumn", "spring", "dev"),
            ("Which is the largest ocean?", "the Pacific|the Atlantic|the Arctic", "the Pacific", "dev"),
        ),
    ),
    _PAIRS: (
        ("premise", "hypothesis", "relation"),
        (
            ("A man walks his dog along the beach.", "A dog is at the beach.", "entailment"),
            ("A man walks his dog along the beach.", "The man is the only person there.", "neutral"),
            ("A man walks his dog along the beach.", "The man sits at home.", "contradiction"),
            ("The train left at six sharp.", "The train left before seven.", "entailment"),
            ("The train left at six sharp.", "The train was late.", "contradiction"),
            ("The train left at six sharp.", "The train was full.", "neutral"),
            ("Every pupil handed in the essay.", "Some pupils handed in the essay.", "entailment"),
            ("Every pupil handed in the essay.", "No pupil handed in the essay.", "contradiction"),
            ("Every pupil handed in the essay.", "The essay was long.", "neutral"),
        ),
    ),
    _CAPITALS: (
        ("region", "capital", "part"),
        tuple(
            (region, capital, "dev" if place % 5 == 4 else "test")
            for place, (region, capital) in enumerate(
                (
                    ("France", "Paris"), ("Japan", "Tokyo"), ("Italy", "Rome"), ("Germany", "Berlin"),
                    ("Spain", "Madrid"), ("Austria", "Vienna"), ("Russia", "Moscow"), ("China", "Beijing"),
                    ("Egypt", "Cairo"), ("Greece", "Athens"), ("Poland", "Warsaw"), ("Portugal", "Lisbon"),
                    ("Ireland", "Dublin"), ("Norway", "Oslo"), ("Cuba", "Havana"), ("Iran", "Tehran"),
                    ("Argentina", "Buenos Aires"), ("Kenya", "Nairobi"), ("Peru", "Lima"), ("Canada", "Ottawa"),
                    ("Hungary", "Budapest"), ("Sweden", "Stockholm"), ("India", "New Delhi"), ("Chile", "Santiago"),
                )
            )
        ),
    ),
}  # fmt: skip


def write_suites(folder: Path) -> dict[str, Path]:
    """Writes the suite files and their tables; the files by name."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, (head, rows) in _ROWS.items():
        with (folder / name).open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([head, *rows])
    for name, text in FILES.items():
        head = f'[suite]\nname = "{name}"\ntitle = "{name.replace("_", " ").capitalize()}"\n\n'
        (folder / f"{name}.toml").write_text(head + text, encoding="utf-8")
    return {name: folder / f"{name}.toml" for name in FILES}

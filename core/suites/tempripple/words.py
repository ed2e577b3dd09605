"""The words in which TempRIPPLE puts a question to a model."""

from __future__ import annotations

from typing import Final

CONTEXT_LINE: Final = "{context}"
"""The line of the new fact."""

QUESTION_LINE: Final = "Question: {question}"
"""The line of the question."""

BETWEEN: Final = "\n"
"""Parts the context from the question."""

CUE: Final = "Answer:"
"""The last line, which asks for the answer."""

INSTRUCTION: Final = "Answer the question with one of the options. Reply with its letter alone and nothing else."
"""What a model is told that answers with a letter."""

TEXT_INSTRUCTION: Final = "Answer the question with a name, a date or a few words, and nothing else."
"""What a model is told behind whose chat template the text of an option is scored."""

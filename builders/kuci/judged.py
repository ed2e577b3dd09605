"""Questions as items that people judge option by option: may more than one option follow the context?

Not in the paper, where a wrong option is wrong because no accepted pair says otherwise. 花粉症がひどいので may go
on with 鼻水が止まりません as well as with くしゃみが出る, and whoever must choose one cannot say so.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from tashika.builders.kuci.settings import JudgedSettings
from tashika.core.files import write_rows
from tashika.core.records import item_row, item_schema
from tashika.core.stages import Stage
from tashika.core.workspace import Workspace

SUITE: Final = "kuci"
KIND: Final = "fit"
_VERSION: Final = "1"


def build_judged(workspace: Workspace, settings: JudgedSettings) -> Mapping[str, Any]:
    """items/question.parquet -> items/fit.parquet; what is done is not done again."""
    target = workspace.item_file(KIND)
    stage = Stage(
        "build-judged",
        workspace.items,
        inputs=[workspace.item_file("question")],
        settings={"builder": _VERSION, **settings.model_dump(mode="json")},
        outputs=[target],
    )

    def make() -> Mapping[str, Any]:
        questions = workspace.read_items("question").to_pylist()
        rows = (_row(question) for question in questions if _is_judged(question, settings))
        return {"judged option by option": write_rows(target, rows, item_schema(SUITE, KIND))}

    return stage.run(make, what="questions to judge option by option")


def _is_judged(question: Mapping[str, Any], settings: JudgedSettings) -> bool:
    return question["conditions"] == "both" and question["split"] in settings.splits


def _row(question: Mapping[str, Any]) -> dict[str, Any]:
    names = ("split", "context", "options", "answer", "similarities", "relation")
    payload = {"question": question["item_id"], **{name: question[name] for name in names}}
    item_id = question["item_id"]
    return item_row(SUITE, KIND, (item_id,), payload, builder=SUITE, version=_VERSION, parents=[item_id])

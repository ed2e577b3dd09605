"""How releases of MyriadLAMA break, one check at a time."""

from __future__ import annotations

from functools import partial

from tashika.exports.myriadlama import cloze_checks as checks
from tashika.exports.myriadlama.lite_checks import lite_prompts_are_prompts, lite_weights_are_above_zero
from tests.exports.drafts import Draft, ReleaseToys, broken
from tests.exports.myriadlama import samples


def drop_slot(draft: Draft) -> str:
    draft.rows("templates")[0]["text"] = draft.rows("templates")[0]["text"].replace("[Y]", "")
    return str(draft.rows("templates")[0]["item_id"])


def repeat_template(draft: Draft) -> str:
    first, second = draft.rows("templates")[:2]
    second["text"] = f"{first['text'].upper()}!"
    return str(second["item_id"])


def drop_parent(draft: Draft) -> str:
    row = next(row for row in draft.rows("templates") if row["origin"] == "paraphrase")
    row["parent"] = None
    return str(row["item_id"])


def repeat_fact(draft: Draft) -> str:
    first, second = draft.rows("facts")[:2]
    draft.rows("facts")[1] = {**first, "item_id": second["item_id"]}
    return str(second["item_id"])


def strange_relation(draft: Draft) -> str:
    draft.rows("facts")[0]["relation"] = "P9999"
    return str(draft.rows("facts")[0]["item_id"])


def nameless_object(draft: Draft) -> str:
    draft.rows("facts")[0]["object"] = "Q9999"
    return str(draft.rows("facts")[0]["item_id"])


def repeat_name(draft: Draft) -> str:
    row = next(row for row in draft.rows("aliases") if row["text"] == "Nihon")
    row["text"] = "Nippon"
    return str(next(row["item_id"] for row in reversed(draft.rows("aliases")) if row["text"] == "Nippon"))


def blank_name(draft: Draft) -> str:
    draft.rows("aliases")[0]["text"] = " "
    return str(draft.rows("aliases")[0]["item_id"])


def orphan_prompt(draft: Draft) -> str:
    # the last one, so that an unknown template does not also break the order
    stranger = "f" * 32
    row = {**draft.rows("prompts")[-1], "template_id": stranger}
    draft.rows("prompts").append({**row, "item_id": stranger[:16] + row["subject_alias_id"][:16], "pair": 99})
    return str(draft.rows("prompts")[-1]["item_id"])


def foreign_prompt_id(draft: Draft) -> str:
    draft.rows("prompts")[3]["item_id"] = "0" * 32
    return "0" * 32


def swap_prompts(draft: Draft) -> str:
    rows = draft.rows("prompts")
    rows[0], rows[1] = rows[1], rows[0]
    return str(rows[1]["item_id"])


def fill_blank(draft: Draft) -> str:
    draft.rows("prompts")[0]["prompt"] = "Paris is the capital of France."
    return str(draft.rows("prompts")[0]["item_id"])


def no_answers(draft: Draft) -> str:
    draft.rows("prompts")[0]["answers"] = []
    return str(draft.rows("prompts")[0]["item_id"])


def blank_answer(draft: Draft) -> str:
    draft.rows("prompts")[5]["answers"] = ["Berlin", ""]
    return str(draft.rows("prompts")[5]["item_id"])


def strange_lite_prompt(draft: Draft) -> str:
    draft.rows("lite")[1]["prompt"] = "Bonn was the capital of [Y]."
    return str(draft.rows("lite")[1]["item_id"])


def repeated_lite_prompt(draft: Draft) -> str:
    draft.rows("lite").append(dict(draft.rows("lite")[0]))
    return str(draft.rows("lite")[0]["item_id"])


def weightless_lite_prompt(draft: Draft) -> str:
    draft.rows("lite")[0]["weight"] = 0.0
    return str(draft.rows("lite")[0]["item_id"])


BREAKS = [
    *broken(checks.templates_have_both_slots, drop_slot),
    *broken(checks.templates_differ, repeat_template),
    *broken(checks.paraphrases_have_parents, drop_parent),
    *broken(checks.facts_differ, repeat_fact),
    *broken(checks.facts_have_templates, strange_relation),
    *broken(checks.facts_have_names, nameless_object),
    *broken(checks.names_differ, repeat_name),
    *broken(checks.names_are_not_blank, blank_name),
    *broken(checks.prompts_have_parents, orphan_prompt),
    *broken(checks.prompts_have_composed_ids, foreign_prompt_id),
    *broken(checks.prompts_are_in_order, swap_prompts),
    *broken(checks.prompts_keep_the_blank, fill_blank),
    *broken(checks.prompts_have_answers, no_answers, blank_answer),
    *broken(lite_prompts_are_prompts, strange_lite_prompt, repeated_lite_prompt),
    *broken(lite_weights_are_above_zero, weightless_lite_prompt),
]
RELEASE = ReleaseToys("myriadlama", samples.fill, partial(samples.write_config, shard=1000), BREAKS)
"""All prompts are in one file."""

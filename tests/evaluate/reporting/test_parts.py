"""Tables and figures taken from a page, and tables in other formats."""

from __future__ import annotations

import csv

from hypothesis import given
from hypothesis import strategies as st

from tashika.evaluate.reporting.formats import as_csv, as_latex, as_markdown, escape_latex
from tashika.evaluate.reporting.parts import Cell, TablePart, names_of, parts_of

PAGE = """<!doctype html>
<h1>Report</h1>
<h2>Scores &amp; more</h2>
<svg aria-label="Accuracy"><text>not in a table</text></svg>
<h3>By relation</h3>
<table>
<thead>
<tr><th rowspan="2">System</th><th colspan="2">Accuracy</th></tr>
<tr><th>first<br>set</th><th>second</th></tr>
</thead>
<tbody>
<tr class="group"><th colspan="3">Models</th></tr>
<tr><th rowspan="2">a_b</th><td>1,234<br><span class="interval">.1 to .2<br><span>x</span></span><span class="small">n 5</span></td><td>−.5</td></tr>
<tr><td>50%</td><td>–</td></tr>
</tbody>
</table>
<h2>Other</h2>
<details><summary>As a table</summary><table><tr><td>1</td></tr></table></details>
<table><tr><td>2</td></tr></table>
"""  # noqa: E501 - a cell as the templates write it


def test_tables_are_known_by_the_headings_above_them() -> None:
    tables, _ = parts_of(PAGE)
    assert [table.titles for table in tables] == [
        ("Report", "Scores & more", "By relation"),
        ("Report", "Other", "As a table"),
        ("Report", "Other"),
    ]
    assert all(PAGE[: table.end].endswith("</table>") for table in tables)


def test_figures_are_cut_out_whole() -> None:
    _, figures = parts_of(PAGE)
    assert [(figure.title, figure.svg) for figure in figures] == [
        ("Accuracy", '<svg aria-label="Accuracy"><text>not in a table</text></svg>')
    ]
    assert PAGE[: figures[0].end].endswith("</svg>")


def test_a_table_as_csv_has_small_print_in_columns_of_its_own() -> None:
    assert as_csv(parts_of(PAGE)[0][0]).splitlines() == [
        "System,Accuracy / first set,Accuracy / first set: interval or note,Accuracy / second",
        "Models,,,",
        "a_b,1234,.1 to .2 x; n 5,-.5",
        "a_b,50%,,",
    ]


def test_a_table_as_markdown() -> None:
    assert as_markdown(parts_of(PAGE)[0][0]).splitlines() == [
        "| System | Accuracy / first set | Accuracy / second |",
        "| --- | --: | --: |",
        "| Models |  |  |",
        r"| a\_b | 1,234 (.1 to .2 x; n 5) | −.5 |",
        "|  | 50% | – |",
    ]


def test_a_table_as_latex() -> None:
    assert as_latex(parts_of(PAGE)[0][0], "Scores & more", "tab:scores").splitlines()[2:] == [
        r"\centering",
        r"\caption{Scores \& more}",
        r"\label{tab:scores}",
        r"\begin{tabular}{lrr}",
        r"\toprule",
        r"System & \multicolumn{2}{c}{Accuracy} \\",
        r" & first set & second \\",
        r"\midrule",
        r"\multicolumn{3}{l}{Models} \\",
        r"a\_b & 1,234 (.1 to .2 x; n 5) & $-$.5 \\",
        r" & 50\% & -- \\",
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]


def test_what_latex_takes_for_its_own_is_escaped() -> None:
    assert escape_latex(r"\input{x} 5% of $a_1 & b#^~") == (
        r"\textbackslash{}input\{x\} 5\% of \$a\_1 \& b\#\textasciicircum{}\textasciitilde{}"
    )


@given(st.lists(st.text(alphabet=st.characters(exclude_categories=["Cs", "Cc"])), min_size=1, max_size=4))
def test_any_text_survives_csv(texts: list[str]) -> None:
    row = tuple(Cell(text.replace("−", "-").replace("–", "x").replace(",", ";")) for text in texts)
    table = TablePart((), (), (row,), 0)
    lines = list(csv.reader(as_csv(table).splitlines()))
    assert len({len(line) for line in lines}) == 1


def test_names_of_files_are_words_and_differ() -> None:
    assert list(names_of(["By relation: α?", "By relation, α", "../../x", "", "a" * 99, "X", "x 2"])) == [
        "by-relation-α",
        "by-relation-α-2",
        "x",
        "untitled",
        "a" * 80,
        "x-2",
        "x-2-2",
    ]

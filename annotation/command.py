"""`tashika annotate`: candidates to people, and their judgments back."""

from __future__ import annotations

from collections.abc import Callable

import typer

from tashika.annotation.commands import counting, deciding, rehearsing, reporting, serving, tasks

app = typer.Typer(no_args_is_help=True)


@app.callback()
def annotate() -> None:
    """Let several people judge every candidate in Label Studio, and count their votes.

    The order of the work: serve (in a terminal of its own), invite (a link for each annotator), push, people answer
    in the browser, status, pull, vote. Push and pull may be repeated at any time: nothing is doubled.
    """


_COMMANDS: dict[str, Callable[..., None]] = {
    "serve": serving.serve,
    "invite": serving.invite,
    "push": tasks.push,
    "status": tasks.status,
    "pull": tasks.pull,
    "vote": counting.vote,
    "report": reporting.report,
    "import-responses": counting.import_responses,
    "undecided": deciding.undecided,
    "adjudicate": deciding.adjudicate,
    "simulate": rehearsing.simulate,
    "forget-simulated": rehearsing.forget_simulated,
}

for _name, _command in _COMMANDS.items():
    app.command(_name)(_command)

"""`tashika annotate`: candidates to people, and their judgments back."""

from __future__ import annotations

from collections.abc import Callable

import typer

from tashika.annotation.commands import (
    counting,
    deciding,
    forgetting,
    golden,
    peopling,
    rehearsing,
    reporting,
    restoring,
    serving,
    tasks,
)

app = typer.Typer(no_args_is_help=True)


@app.callback()
def annotate() -> None:
    """Let several people judge every candidate in Label Studio, and count their votes.

    The order of the work: serve (in a terminal of its own), push, invite (a text for each person), people answer
    in the browser, status or watch, pull, vote, undecided. Push and pull may be repeated at any time: nothing is
    doubled.
    """


_COMMANDS: dict[str, Callable[..., None]] = {
    "serve": serving.serve,
    "gold": golden.gold,
    "push": tasks.push,
    "invite": peopling.invite,
    "people": peopling.people,
    "status": tasks.status,
    "pull": tasks.pull,
    "watch": tasks.watch,
    "vote": counting.vote,
    "undecided": deciding.undecided,
    "adjudicate": deciding.adjudicate,
    "report": reporting.report,
    "restore": restoring.restore,
    "simulate": rehearsing.simulate,
    "forget-simulated": rehearsing.forget_simulated,
    "forget": forgetting.forget,
    "import-responses": counting.import_responses,
}

for _name, _command in _COMMANDS.items():
    app.command(_name)(_command)

"""`tashika build FILE`: the candidates of a suite that is one file."""

from __future__ import annotations

from contextlib import ExitStack

from tashika.builders.suite import Build
from tashika.core.addresses import require_address
from tashika.core.custom.suite import CustomSuite
from tashika.core.options import (
    WORK,
    ChangeInputsOption,
    DryRunOption,
    ForgetInputsOption,
    LlmModelOption,
    LlmUrlOption,
    UserAgentOption,
    WorkOption,
)
from tashika.core.workspace import Workspace


def build_of(suite: CustomSuite) -> Build:
    """A suite's side of this room."""

    def command(
        work: WorkOption = WORK,
        llm_url: LlmUrlOption = None,
        llm_model: LlmModelOption = None,
        user_agent: UserAgentOption = None,
        change_inputs: ChangeInputsOption = False,
        forget_inputs: ForgetInputsOption = False,
        dry_run: DryRunOption = False,
    ) -> None:
        """Make the candidates of a suite of your own, as its file says.

        A finished step is not repeated; an interrupted one resumes. With --dry-run tables are read and
        checked row by row, and neither a model nor an endpoint is asked.
        """
        from tashika.builders.custom.inputs import Inputs
        from tashika.builders.custom.stages import Builder
        from tashika.core.inputs import take_inputs

        require_address(llm_url, "http://127.0.0.1:8000/v1")
        workspace = Workspace(work, suite.name)
        given = Inputs(suite_file=suite.path, llm_url=llm_url, llm_model=llm_model)
        inputs = take_inputs(workspace, given, change=change_inputs, forget=forget_inputs)
        with ExitStack() as stack:
            builder = Builder(workspace, suite, stack, inputs.options.llm_url, inputs.options.llm_model, user_agent)
            if dry_run:
                builder.announce()
                return
            with inputs.remembered():
                builder.build()

    command.__doc__ = f"{suite.title}.\n\n{command.__doc__}"
    return Build(command)

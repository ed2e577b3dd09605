"""The ways that the engine is compared with: plain code and pipelines in this process, and peers in another one."""

from __future__ import annotations

import json
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import torch
from harness import CACHE, ROOT

from tashika.core.models import LoadedModel

BATCH: Final = 32
PEERS: Final = CACHE / "peers" / "bin" / "python"

Floats = npt.NDArray[np.float64]


class Peer:
    """minicons or lm-pub-quiz in its own process, which loads once and then takes its turns.

    Args:
        way: A name of `peers.WAYS`.
        model: The model's folder.
        rows: What it is asked.
        batch: How many of them at once.

    Attributes:
        found: What it answered last, one list a row.
    """

    def __init__(self, way: str, model: Path, rows: Sequence[Sequence[Any]], batch: int = BATCH) -> None:
        self.found: list[list[float]] = []
        self._folder = tempfile.TemporaryDirectory()
        job = Path(self._folder.name) / "job.json"
        content = {"way": way, "model": str(model), "rows": rows, "batch": batch, "threads": torch.get_num_threads()}
        job.write_text(json.dumps(content), encoding="utf-8")
        self._log = (Path(self._folder.name) / "log").open("w+", encoding="utf-8")
        self._process = subprocess.Popen(
            [str(PEERS), str(ROOT / "bench" / "peers.py"), str(job)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
        )

    def wait_until_ready(self) -> None:
        """Waits until the model is loaded; to be called once, before the first turn."""
        self._reply()

    def __call__(self) -> float:
        """Does the job once; the seconds are its own."""
        assert self._process.stdin is not None
        self._process.stdin.write("go\n")
        self._process.stdin.flush()
        reply = self._reply()
        self.found = reply["found"]
        return float(reply["seconds"])

    def _reply(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            self._log.seek(0)
            raise SystemExit(f"{self._process.args} ended:\n{self._log.read()[-3000:]}")
        return json.loads(line)

    def close(self) -> None:
        """Ends the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(timeout=60)
        self._log.close()
        self._folder.cleanup()


@contextmanager
def started_peers(
    wanted: dict[str, tuple[str, Sequence[Sequence[Any]]]], model: Path, batch: int = BATCH
) -> Iterator[dict[str, Peer]]:
    """Starts peers, by the names that the tables shall show, and ends them; none without their environment."""
    started: dict[str, Peer] = {}
    try:
        if PEERS.exists():
            for name, (way, rows) in wanted.items():
                started[name] = Peer(way, model, rows, batch)
        for peer in started.values():
            peer.wait_until_ready()
        yield started
    finally:
        for peer in started.values():
            peer.close()


class Loop:
    """What one would first write: padded batches, all logits of all positions, ranks by sorting the vocabulary.

    Args:
        loaded: A masked or a causal model.
        texts: Prompts; with the mask token in place, or cut before the blank.
        answers: The correct tokens of each.

    Attributes:
        rank: (n,) of the best correct token.
        log_probability: (n,) of the same.
        top: (n,) the token with the greatest logit.
    """

    def __init__(self, loaded: LoadedModel, texts: Sequence[str], answers: Sequence[Sequence[int]]) -> None:
        self._loaded, self._texts, self._answers = loaded, list(texts), answers
        self._tokenizer = loaded.tokenizer
        if self._tokenizer.pad_token is None:
            self._tokenizer.pad_token = self._tokenizer.eos_token
        self.rank = np.zeros(len(texts), np.int64)
        self.log_probability = np.zeros(len(texts))
        self.top = np.zeros(len(texts), np.int64)

    def __call__(self) -> None:
        """Scores all prompts."""
        for begin in range(0, len(self._texts), BATCH):
            self._score(begin, self._texts[begin : begin + BATCH])

    def _score(self, begin: int, texts: list[str]) -> None:
        with torch.inference_mode():
            batch = self._tokenizer(texts, padding=True, padding_side="right", return_tensors="pt")
            logits = self._loaded.model(**batch).logits
            chosen = logits[torch.arange(len(texts)), self._places(batch)].float()
            order = chosen.argsort(dim=-1, descending=True)
            logs = chosen.log_softmax(dim=-1)
            for row in range(len(texts)):
                tokens = torch.tensor(self._answers[begin + row])
                place = torch.isin(order[row], tokens).nonzero()[0, 0]
                self.rank[begin + row] = int(place) + 1
                self.log_probability[begin + row] = float(logs[row, order[row, place]])
                self.top[begin + row] = int(order[row, 0])

    def _places(self, batch: Any) -> torch.Tensor:
        """Where each text's blank is: at the mask, or behind its last token."""
        if self._loaded.kind == "masked":
            return (batch["input_ids"] == self._tokenizer.mask_token_id).int().argmax(dim=1)
        return batch["attention_mask"].sum(dim=1) - 1


class FillMask:
    """The `fill-mask` pipeline of transformers: the ten best tokens, no ranks.

    Attributes:
        top: (n,) the best token of each.
    """

    def __init__(self, loaded: LoadedModel, texts: Sequence[str]) -> None:
        import transformers

        self._texts = list(texts)
        self._pipeline = transformers.pipeline(
            "fill-mask",
            model=loaded.model,
            tokenizer=loaded.tokenizer,
            device="cpu",
            batch_size=BATCH,
            top_k=10,
            trust_remote_code=False,
        )
        self.top = np.zeros(len(texts), np.int64)

    def __call__(self) -> None:
        """Fills all masks."""
        found = self._pipeline(self._texts)
        self.top = np.asarray([ten[0]["token"] for ten in found])


def seconds_of(work: Callable[[], object]) -> float:
    """How long something takes, once."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began

"""Whether inspect, given a release's eval.yaml, asks what our evaluator asks, and counts the same replies as right.

Usage: .venv/bin/python bench/interop_inspect.py SUITE [--work work] [--plain] [--ours OPTIONS]

The whole way of a user is gone, on this machine: the release is published to a Hub on loopback (the tests' own), and
`inspect eval hf/ORG/NAME/TASK@TAG` opens it there. Both programs ask one endpoint here. Behind it is SmolLM2, made to
reply with the likeliest letter of those that the prompt lists, as endpoints with guided decoding do: left to itself it
writes prose, and two programs that count prose as wrong would agree about nothing. So that the two readers of replies
have something to read, the letter is dressed in one of several ways, by a digest of the prompt: `B`, `(B)`, `**B**`,
`Answer: B`, `B. words`, the words alone, prose. The same request always gets the same reply.

Compared are the requests, message by message, and what each program made of each item (joined by `item_id`, as
`tashika compare` does). Where they differ the reply is printed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final

from harness import ROOT

sys.path.insert(0, str(ROOT))

from tashika.core.models import load_model
from tashika.core.prompting import LABELS_ALONE
from tashika.core.suites.discovery import open_suite, suite_named
from tashika.core.workspace import Workspace
from tashika.evaluate.comparing.logs import read_log
from tashika.evaluate.comparing.systems import scored_folders
from tashika.evaluate.engine.causal import CausalModel
from tashika.evaluate.engine.likelihoods import Case, score_cases
from tashika.evaluate.ways.local_generation import chat_prefix
from tests.exports.hub_server import TOKEN, HubServer

MODEL: Final = "SmolLM2-letter"
REPO: Final = "interop/release"
CONFIGURED: Final[Mapping[str, str]] = {"tempripple": 'suite = "tempripple"\n[evaluate]\norders = 1\n'}
"""Settings of our evaluator: it asks tempripple in four orders of the options, and inspect in one."""
OPTION: Final = re.compile(r"^([A-Z])\. (.*)$", re.MULTILINE)
SETTINGS: Final = ("--temperature", "0", "--top-p", "1", "--seed", "0", "--max-tokens", "32")
DRESSED: Final[Mapping[str, str]] = {
    "letter": "{letter}",
    "letter with a full stop": "{letter}.",
    "letter in brackets": "({letter})",
    "letter in bold": "**{letter}**",
    "small letter": "{small}",
    "behind the cue": "Answer: {letter}",
    "letter and its words": "{letter}. {words}",
    "its words alone": "{words}",
    "letter and another's words": "{letter}. {other}",
    "full width": "{wide}",
    "prose": "I think that it is {letter}.",
    "nothing": "",
}
"""Ways in which a model may name an option."""
LABELS: Final = re.compile(rf"^{re.escape(LABELS_ALONE)} (.*)\.", re.MULTILINE)
DRESSED_LABELS: Final[Mapping[str, str]] = {
    "words": "{words}",
    "words with a full stop": "{words}.",
    "words in bold": "**{words}**",
    "words in quotes": '"{words}"',
    "small words": "{small}",
    "behind the cue": "Answer: {words}",
    "prose": "I think that it is {words}.",
    "two labels": "{words}, or {other}",
    "nothing": "",
}
"""Ways in which a model may name a label."""


@dataclass
class Guided:
    """An endpoint of the chat API whose model replies with a letter that the prompt lists.

    Attributes:
        model: What chooses the letter.
        plain: Whether the letter stands alone, and is not dressed.
        requests: The messages that were asked, as JSON -> how often.
        replies: The same -> the way of dressing, and the reply.
    """

    model: CausalModel
    plain: bool = False
    requests: Counter[str] = field(default_factory=Counter)
    replies: dict[str, tuple[str, str]] = field(default_factory=dict)
    lock: Any = field(default_factory=threading.Lock)

    def reply(self, messages: Sequence[Mapping[str, str]]) -> str:
        """The reply to a request; made once."""
        plain = [{"role": message["role"], "content": message["content"]} for message in messages]
        key = json.dumps(plain, ensure_ascii=False)
        with self.lock:
            self.requests[key] += 1
            if key not in self.replies:
                self.replies[key] = self._made(plain)
            return self.replies[key][1]

    def _made(self, messages: Sequence[Mapping[str, str]]) -> tuple[str, str]:
        *before, question = messages
        system = before[0]["content"] if before else ""
        labels = LABELS.findall(question["content"])
        listed = (
            {word: word for word in labels[-1].split(", ")} if labels else dict(OPTION.findall(question["content"]))
        )
        text = chat_prefix(self.model.blank.loaded.tokenizer, system, question["content"])
        [scores] = score_cases(self.model, [Case(text, tuple(listed))])
        letter = max(zip(scores, listed, strict=True), key=lambda pair: pair[0].value)[1]
        other = next(words for name, words in listed.items() if name != letter)
        digest = int(hashlib.sha256(question["content"].encode()).hexdigest(), 16)
        ways = DRESSED_LABELS if labels else DRESSED
        way = next(iter(ways)) if self.plain else list(ways)[digest % len(ways)]
        wide = letter if labels else chr(ord(letter) - ord("A") + ord("Ａ"))
        said = ways[way].format(letter=letter, small=letter.lower(), wide=wide, words=listed[letter], other=other)
        return way, said


@contextmanager
def served(guided: Guided) -> Iterator[str]:
    """Serves the endpoint on a free port; yields its base address."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_arguments: Any) -> None:
            """Says nothing."""

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            said = guided.reply(body["messages"])
            message = {"role": "assistant", "content": said}
            usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
            choice = {"index": 0, "message": message, "finish_reason": "stop"}
            answer = {"id": "x", "object": "chat.completion", "created": 0, "model": MODEL}
            content = json.dumps({**answer, "choices": [choice], "usage": usage}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


# the two programs -----------------------------------------------------------------------------------------------------


def ours(argument: str, workspace: Workspace, url: str, more: Sequence[str]) -> Mapping[str, Mapping[str, float]]:
    """Asks with our own evaluator: task of eval.yaml -> item -> right or wrong; NaN where there is no answer."""
    before = set(scored_folders(workspace))
    command = [sys.executable, "-m", "tashika.core.cli", "evaluate", argument, "--work", str(workspace.root)]
    run([*command, "--model", MODEL, "--endpoint", url, *more], {})
    [folder] = sorted(set(scored_folders(workspace)) - before)
    comparison = suite_named(workspace.suite).load("evaluate").comparison
    sides = comparison.read(workspace, [folder])
    [side] = sides.systems
    if not side.tasks:
        sys.exit("this was not asked as the release's eval.yaml asks: see --ours")
    values = {}
    for measure in sides.measures:
        if measure.key in side.tasks:
            units = side.units[measure.unit]
            right = units.values[measure.key].ravel().tolist()
            values[side.tasks[measure.key]] = dict(zip(map(str, listed(units.ids)), right, strict=True))
    return values


def listed(values: Any) -> list[Any]:
    """An Arrow array or a sequence as a list."""
    return list(values.to_pylist()) if hasattr(values, "to_pylist") else list(values)


def theirs(program: Path, task: str, tag: str, url: str, hub: str, folder: Path, more: Sequence[str]) -> Path:
    """Asks with inspect; returns the log."""
    environment = {
        **network(hub),
        "INTEROP_BASE_URL": url,
        "INTEROP_API_KEY": "none",
        "HF_HOME": str(folder / "hf"),
        "XDG_CACHE_HOME": str(folder / "cache"),
    }
    logs = folder / task
    # A slash in the tag's place would be read as a task: ORG/NAME/TASK@TAG.
    command = [str(program), "eval", f"hf/{REPO}/{task}@{tag}", "--model", f"openai-api/interop/{MODEL}"]
    run([*command, *SETTINGS, "--display", "plain", "--log-dir", str(logs), *more], environment)
    [log] = [path for path in logs.iterdir() if path.suffix in {".json", ".eval"}]
    return log


def network(hub: str) -> dict[str, str]:
    """What a process needs to speak with the Hub on loopback."""
    offline = {"HF_HUB_OFFLINE": "0", "HF_DATASETS_OFFLINE": "0", "HF_HUB_DISABLE_XET": "1", "NO_PROXY": "127.0.0.1"}
    return {**offline, "HF_ENDPOINT": hub, "HF_TOKEN": TOKEN}


def run(command: Sequence[str], environment: Mapping[str, str]) -> None:
    """Runs a program; what it said is shown where it failed."""
    done = subprocess.run(
        command, env={**os.environ, **environment}, capture_output=True, text=True, check=False, cwd=ROOT
    )
    if done.returncode:
        sys.exit(f"{' '.join(command)}\nended with {done.returncode}:\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}")


# what came of it ------------------------------------------------------------------------------------------------------


def compared(task: str, own: Mapping[str, float], log: Path, guided: Guided) -> dict[str, Any]:
    """What the two made of the same items."""
    other = read_log(log).values
    common = sorted(set(own) & set(other))
    replies = replies_by_item(log)
    kinds: Counter[str] = Counter()
    differing = []
    for item in common:
        mine, said = own[item], replies[item]
        way = next((way for way, reply in guided.replies.values() if reply == said), "")
        verdict = "no answer" if math.isnan(mine) else "right" if mine else "wrong"
        same = (0.0 if math.isnan(mine) else mine) == other[item]
        kinds[f"{'same' if same else 'differs'}: ours {verdict}, theirs {'right' if other[item] else 'wrong'}"] += 1
        if not same:
            differing.append({"item_id": item, "reply": said, "way": way, "ours": verdict, "theirs": other[item]})
    right = [sum((own[item] == 1) for item in common), sum(other[item] == 1 for item in common)]
    return {"task": task, "items": len(common), "right": right, "kinds": dict(kinds), "differing": differing}


def replies_by_item(log: Path) -> dict[str, str]:
    """What the model said, by item, of a JSON log."""
    samples = json.loads(log.read_text(encoding="utf-8"))["samples"]
    return {
        str(sample["metadata"]["item_id"]): str(sample["output"]["choices"][0]["message"]["content"])
        for sample in samples
    }


def main() -> None:
    """Runs both programs, and prints what they made of the same items."""
    options = arguments()
    name = open_suite(options.suite).name
    model = load_model(str(options.model or options.work / "models" / "smollm2"), device="cpu", dtype="fp32")
    guided = Guided(CausalModel(model, None), options.plain)
    with served(guided) as url, HubServer() as hub, tempfile.TemporaryDirectory() as folder:
        report = both(options, Workspace(options.work, name), guided, Place(url, hub, Path(folder)))
    show(report)
    if options.json:
        options.json.write_text(json.dumps(report, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    # With bare letters nothing is left to be read in two ways.
    unlike = report["requests"]["theirs alone"] or (options.plain and any(one["differing"] for one in report["tasks"]))
    sys.exit(1 if unlike else 0)


@dataclass(frozen=True)
class Place:
    """Where the two programs find what they need.

    Attributes:
        url: The endpoint.
        hub: The Hub on loopback.
        folder: For logs and caches.
    """

    url: str
    hub: HubServer
    folder: Path


def both(options: argparse.Namespace, workspace: Workspace, guided: Guided, place: Place) -> dict[str, Any]:
    """Publishes the release, and has both programs ask about the same items."""
    command = [sys.executable, "-m", "tashika.core.cli", "publish", options.suite, "--repo", REPO]
    run([*command, "--work", str(options.work)], network(place.hub.url))
    tag = next(iter(place.hub.repos[REPO].tags))
    more = [*configured(workspace.suite, place.folder), *options.ours.split()]
    own = ours(options.suite, workspace, place.url, more)
    asked_by_us = set(guided.requests)
    guided.requests.clear()
    tasks = []
    for task, items in own.items():
        rows = [number for number, item in enumerate(item_ids(workspace, task), start=1) if item in items]
        only = ["--log-format", "json", "--sample-id", ",".join(map(str, rows))]
        log = theirs(options.inspect, task, tag, place.url, place.hub.url, place.folder, only)
        tasks.append(compared(task, items, log, guided))
        if options.keep:
            options.keep.mkdir(parents=True, exist_ok=True)
            (options.keep / f"{task}{log.suffix}").write_bytes(log.read_bytes())
    asked_by_them = set(guided.requests)
    requests = {"the same": len(asked_by_us & asked_by_them), "theirs alone": len(asked_by_them - asked_by_us)}
    return {"suite": workspace.suite, "requests": requests, "tasks": tasks}


def configured(suite: str, folder: Path) -> list[str]:
    """Options that have our evaluator ask as the suite's eval.yaml does, where its own settings do not."""
    if suite not in CONFIGURED:
        return []
    file = folder / "config.toml"
    file.write_text(CONFIGURED[suite], encoding="utf-8")
    return ["--config", str(file)]


def item_ids(workspace: Workspace, task: str) -> list[str]:
    """The ids of a task's rows in the order in which inspect numbers them."""
    import pyarrow.parquet as pq
    import yaml

    [entry] = [
        entry
        for entry in yaml.safe_load((workspace.release / "eval.yaml").read_text(encoding="utf-8"))["tasks"]
        if entry["id"] == task
    ]
    config = suite_named(workspace.suite).load("exports").configs[entry["config"]]
    folder = workspace.release / config.folder
    files = sorted(folder.glob("*.parquet")) if len(config.splits) == 1 else [folder / f"{entry['split']}.parquet"]
    return [str(item) for file in files for item in pq.read_table(file, columns=["item_id"])["item_id"].to_pylist()]


def show(report: Mapping[str, Any]) -> None:
    """Prints the report."""
    requests = report["requests"]
    print(f"{report['suite']}: the same requests {requests['the same']}, inspect's alone {requests['theirs alone']}")
    for task in report["tasks"]:
        print(f"  {task['task']}: {task['items']} items, right: ours {task['right'][0]}, inspect {task['right'][1]}")
        for kind, count in sorted(task["kinds"].items()):
            print(f"    {kind}: {count}")
        for way, count in Counter(entry["way"] for entry in task["differing"]).most_common():
            example = next(entry for entry in task["differing"] if entry["way"] == way)
            print(f"    {way}: {count}, such as {example['reply']!r}")


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("suite", help="a suite's name, or the file of one of your own")
    parser.add_argument("--work", type=Path, default=Path("work"))
    parser.add_argument("--model", type=Path, help="SmolLM2's folder; work/models/smollm2 by default")
    parser.add_argument("--inspect", type=Path, default=ROOT / ".bench" / "interop" / "bin" / "inspect")
    parser.add_argument("--ours", default="", help="more options for `tashika evaluate`")
    parser.add_argument("--plain", action="store_true", help="the letter alone, not dressed")
    parser.add_argument("--keep", type=Path, help="keep the logs here")
    parser.add_argument("--json", type=Path, help="write the figures here")
    return parser.parse_args()


if __name__ == "__main__":
    main()

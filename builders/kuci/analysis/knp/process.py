"""KNP and Juman as processes of our own, since pyknp's cannot be trusted: pyknp only reads what KNP wrote.

pyknp's time-out is a signal, which works in the main thread alone; it waits at full speed for a program that has ended;
and after a time-out it takes the late answer for that to the next sentence. Here a program that is late, ends, or
answers what it was not asked is stopped and started anew, and the sentence is a `Failure` with the reason.
"""

from __future__ import annotations

import contextlib
import os
import re
import selectors
import shlex
import signal
import subprocess
import time
import unicodedata
import weakref
from collections.abc import Iterable, Iterator
from importlib.metadata import version
from types import TracebackType
from typing import Final

from tashika.builders.kuci.analysis.knp.sentence import KEYS, load_pyknp, read_block, surfaces_of
from tashika.builders.kuci.analysis.records import Backend, Failure, Sentence
from tashika.core.errors import ConfigError, OutsideError

SELF_TEST: Final = "お腹が空いたので、ご飯を食べる。"
STARTING: Final = 60.0
"""Seconds that programs may take to load their dictionaries, on top of the time-out."""
ANSWER: Final = 64 * 1024 * 1024
"""Bytes of an answer, at most: a program that never stops must not fill the memory."""
CHUNK: Final = 65_536
END: Final = re.compile(rb"(?:^|\n)EOS\r?\n")


class ProgramFailedError(Exception):
    """A program did not answer: it was late, or ended."""


class ProgramLateError(ProgramFailedError):
    """A program did not answer in time."""


def normalize(text: str) -> str:
    """The text in the format that Juman and KNP can take.

    Unicode's form NFKC, then full width for all of ASCII and the space: half-width + and * empty the analysis, # begins
    a comment, and EOS ends it. Line ends are spaces; what cannot be seen is left out.
    """
    spaced = (" " if sign.isspace() else sign for sign in unicodedata.normalize("NFKC", text))
    seen = "".join(sign for sign in spaced if unicodedata.category(sign) not in {"Cc", "Cf", "Cs"}).strip()
    return "".join(
        "\u3000" if sign == " " else chr(ord(sign) + 0xFEE0) if "!" <= sign <= "~" else sign for sign in seen
    )


class Program:
    """A program that reads a line or block and answers with lines up to EOS.

    Args:
        command: The program and its options, as in a shell.
        setting: The setting that holds the command, for messages.
    """

    def __init__(self, command: str, setting: str) -> None:
        self.words = shlex.split(command)
        if not self.words:
            raise ConfigError(f"found an empty `{setting}`, expected a program")
        self.setting = setting
        self.name = self.words[0]
        self._process: subprocess.Popen[bytes] | None = None
        self._last_words = b""

    def start(self) -> None:
        """Starts the program anew.

        Raises:
            OutsideError: It is not there, or cannot be run.
        """
        self.stop()
        pipe = subprocess.PIPE
        try:
            # A session of its own, so that a wrapper script is stopped with what it started.
            process = subprocess.Popen(
                self.words, stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0, start_new_session=True
            )
        except OSError as error:
            hint = f"Install it, name it in `{self.setting}`, or use the backend `ginza`."
            raise OutsideError(f"`{self.name}` cannot be started: {error.strerror}", hint=hint) from error
        for stream in (process.stdin, process.stdout, process.stderr):
            assert stream is not None
            os.set_blocking(stream.fileno(), False)
        self._process = process
        self._last_words = b""
        self._finalizer = weakref.finalize(self, _stop, process)

    def stop(self) -> None:
        """Stops the program, if it runs."""
        if self._process is not None:
            self._finalizer()
            self._process = None

    def waits(self) -> bool:
        """Whether the program runs, and has said nothing that it was not asked."""
        if self._process is None or self._process.stdout is None:
            return False
        try:
            os.read(self._process.stdout.fileno(), CHUNK)
        except BlockingIOError:
            return True
        return False  # it has ended, or wrote more than one answer

    def ask(self, text: str, timeout: float) -> str:
        r"""Writes a text and waits for the answer.

        Args:
            text: It must end with \n.
            timeout: Seconds.

        Returns:
            The lines up to EOS.

        Raises:
            ProgramLateError: There was no answer in time.
            ProgramFailedError: The program has ended, or said too much.
        """
        if self._process is None:
            raise ProgramFailedError(f"`{self.name}` does not run")
        answer = self._exchange(self._process, text.encode(), time.monotonic() + timeout, timeout)
        end = END.search(answer)
        assert end is not None
        if end.end() != len(answer):
            raise ProgramFailedError(f"`{self.name}` answered more than once")
        try:
            return answer.decode().replace("\r\n", "\n")
        except UnicodeDecodeError as error:
            raise ProgramFailedError(f"the answer of `{self.name}` is not UTF-8") from error

    def _exchange(self, process: subprocess.Popen[bytes], question: bytes, deadline: float, timeout: float) -> bytes:
        """Writes and reads at once, so that neither side waits for the other when a pipe is full."""
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        answer = bytearray()
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdin, selectors.EVENT_WRITE)
            selector.register(process.stdout, selectors.EVENT_READ)
            selector.register(process.stderr, selectors.EVENT_READ)
            while not END.search(answer, max(0, len(answer) - CHUNK - 8)):
                ready = selector.select(max(0.0, deadline - time.monotonic()))
                if not ready:
                    raise ProgramLateError(f"`{self.name}` did not answer within {timeout:g} s")
                for key, _ in ready:
                    if key.fileobj is process.stdin:
                        question = _write(process.stdin.fileno(), question)
                        if not question:
                            selector.unregister(process.stdin)
                        continue
                    chunk = os.read(key.fd, CHUNK)
                    if key.fileobj is process.stdout:
                        answer += self._heard(process, chunk, len(answer))
                    elif chunk:
                        self._last_words = (self._last_words + chunk)[-2000:]
                    else:
                        selector.unregister(process.stderr)
        return bytes(answer)

    def _heard(self, process: subprocess.Popen[bytes], chunk: bytes, before: int) -> bytes:
        if not chunk:
            raise ProgramFailedError(self._epitaph(process))
        if before + len(chunk) > ANSWER:
            raise ProgramFailedError(f"`{self.name}` does not stop: its answer has over {ANSWER // 2**20} MiB")
        return chunk

    def _epitaph(self, process: subprocess.Popen[bytes]) -> str:
        """How the program ended: it has closed its output, so it is about to, if it has not yet."""
        try:
            code = process.wait(timeout=1.0)
        except subprocess.TimeoutExpired:
            return f"`{self.name}` closed its output"
        if process.stderr is not None:
            with contextlib.suppress(BlockingIOError):
                self._last_words += os.read(process.stderr.fileno(), CHUNK)
        lines = self._last_words.decode(errors="replace").strip().splitlines()
        how = f"was killed by signal {-code}" if code < 0 else f"ended with code {code}"
        return f"`{self.name}` {how}" + (f": {lines[-1]}" if lines else "")


def _write(descriptor: int, question: bytes) -> bytes:
    """Writes what fits and returns the rest; none is left for a program that has ended: its output shows how."""
    try:
        return question[os.write(descriptor, question[:CHUNK]) :]
    except BlockingIOError:
        return question
    except BrokenPipeError:
        return b""


def _stop(process: subprocess.Popen[bytes]) -> None:
    # The group may be gone with the program; the program itself is not reaped yet, so its number is still its own.
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            with contextlib.suppress(OSError):
                stream.close()


class Knp:
    """Analyses sentences with Juman (or Juman++) and KNP.

    Both are started and pass a test before the first sentence, and again after one of them was late, ended, or fell out
    of step with the questions. A sentence that a program hangs on is not asked again.

    Args:
        knp_command: KNP with its options; it must write features (`-tab`).
        juman_command: Juman++, or Juman with its options.
        timeout: Seconds that each of them may take for a sentence.
        longest: Characters that a sentence may have after normalisation: KNP answers nothing to very long ones.

    Raises:
        OutsideError: pyknp or a program is missing, or the programs fail the test.
    """

    backend: Backend = "knp"
    keys: str = KEYS

    def __init__(self, knp_command: str, juman_command: str, timeout: float, longest: int) -> None:
        load_pyknp()
        self.timeout = timeout
        self.longest = longest
        self.commands = {"knp_command": knp_command, "juman_command": juman_command}
        self._juman = Program(juman_command, "juman_command")
        self._knp = Program(knp_command, "knp_command")
        self._version = ""
        self._ready = False
        self._start()

    def __enter__(self) -> Knp:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Stops both programs."""
        self._ready = False
        self._juman.stop()
        self._knp.stop()

    def describe(self) -> dict[str, str]:
        """Name and versions, for provenance."""
        return {"analyzer": "knp", "knp": self._version, "pyknp": version("pyknp"), **self.commands}

    def analyze(
        self,
        sentences: Iterable[tuple[str, str]],
        *,
        relations_only: bool = False,  # KNP's features alone show them
    ) -> Iterator[Sentence | Failure]:
        """Analyses (sid, text) pairs, one result each, in their order; a sentence's text is its normalised form.

        Raises:
            OutsideError: A program had to be started anew and cannot be, or fails the test now.
        """
        for sid, text in sentences:
            said = normalize(text)
            if not said:
                yield Failure(sid, text, "blank text")
            elif len(said) > self.longest:
                yield Failure(sid, text, f"longer than {self.longest:,} characters")
            else:
                result = self._analyze_one(sid, said)
                yield Failure(sid, text, result.reason) if isinstance(result, Failure) else result

    def _analyze_one(self, sid: str, said: str) -> Sentence | Failure:
        """Asks once, and again if the programs have ended or are out of step: an earlier sentence may have done it."""
        if not (self._ready and self._juman.waits() and self._knp.waits()):
            self._start()
        result = self._tried(sid, said)
        if isinstance(result, Failure) and self._ready and not self._is_in_step():
            self._start()
            result = self._tried(sid, said)
            if isinstance(result, Failure):
                self._ready = False
        return result

    def _tried(self, sid: str, said: str) -> Sentence | Failure:
        try:
            return self._asked(sid, said, self.timeout)
        except ProgramLateError as error:
            self.close()  # its answer would come to the next sentence
            return Failure(sid, said, str(error))

    def _asked(self, sid: str, said: str, timeout: float) -> Sentence | Failure:
        try:
            words = self._juman.ask(said + "\n", timeout)
            if words.strip() == "EOS":
                return Failure(sid, said, f"`{self._juman.name}` answered EOS and no words")
            if surfaces_of(words) != said:
                return Failure(sid, said, f"the words of `{self._juman.name}` are not those of the sentence")
            block = self._knp.ask(words, timeout)
        except ProgramLateError:
            raise
        except ProgramFailedError as error:
            return Failure(sid, said, str(error))
        if block.strip() == "EOS":
            return Failure(sid, said, f"`{self._knp.name}` answered EOS and no words")
        self._version = self._version or " ".join(re.findall(r"\bKNP\S*:\S+", block.split("\n", 1)[0]))
        return read_block(block, sid, said)

    def _is_in_step(self) -> bool:
        """Whether the programs that run answer the test as they should: much faster than starting them anew."""
        try:
            return isinstance(self._asked("self-test", SELF_TEST, self.timeout), Sentence)
        except ProgramLateError:
            return False

    def _start(self) -> None:
        """Starts both programs and tests them: Debian's juman answers EOS to everything, and reports success."""
        self._juman.start()
        self._knp.start()
        try:
            answer = self._asked("self-test", SELF_TEST, self.timeout + STARTING)
        except ProgramLateError as error:
            answer = Failure("self-test", SELF_TEST, str(error))
        if isinstance(answer, Sentence) and any(one.label == "cause" for one in answer.relations):
            self._ready = True
            return
        self.close()
        reason = answer.reason if isinstance(answer, Failure) else "no cause was found in it (節-機能-原因・理由:ので)"
        raise OutsideError(
            f"KNP fails its self-test on {SELF_TEST}: {reason}",
            hint="EOS alone means an empty dictionary, as in Debian's package `juman`: build Juman++ and KNP 5 from "
            "their source. Without case frames KNP needs the option `-dpnd`. The backend `ginza` needs neither.",
        )

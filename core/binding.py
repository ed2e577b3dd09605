"""Processes that end with the process that started them, however that one ends.

Who is killed (`kill -9`, or by the kernel for want of memory) can stop nothing on the way out. On Linux a process can
ask the kernel for a signal at the end of its parent. The new process asks for itself, before it becomes the command,
since nothing but a new program is safe between a fork and its exec in a process that has threads.

The kernel takes the end of the *thread* that started a process for the end of its parent. So all are started by one
thread, which lasts as long as this process: a server is often needed first by a worker that ends before the work does.

Elsewhere than on Linux the command is started as it is.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

_BIND: Final = """
import ctypes, os, sys
sign, parent, *command = sys.argv[1:]
libc = ctypes.CDLL(None, use_errno=True)
if libc.prctl(1, int(sign), 0, 0, 0):  # PR_SET_PDEATHSIG
    print("this process may stay behind if its parent is killed:", os.strerror(ctypes.get_errno()), file=sys.stderr)
if os.getppid() != int(parent):
    sys.exit(0)  # the parent ended before the kernel was asked
try:
    os.execvp(command[0], command)
except OSError as error:
    sys.exit(f"{command[0]} cannot be started: {error.strerror}")
"""


def start_bound(command: Sequence[str], sign: signal.Signals, **options: Any) -> subprocess.Popen[bytes]:
    """Starts a command that gets a signal when this process ends, in whatever way.

    Args:
        command: The program and its arguments.
        sign: The signal; SIGKILL for what has nothing to put in order, SIGTERM for what has started others itself.
        options: Those of `subprocess.Popen`.
    """
    if not sys.platform.startswith("linux"):
        return subprocess.Popen(command, **options)
    parent = os.getpid()
    # -I and -S: what the environment says of Python is for the command, and nothing is needed but the standard library.
    bound = [sys.executable, "-I", "-S", "-c", _BIND, str(int(sign)), str(parent), *command]
    started: subprocess.Popen[bytes] = _starter(parent).submit(lambda: subprocess.Popen(bound, **options)).result()
    return started


@cache
def _starter(process: int) -> ThreadPoolExecutor:
    """The thread that starts processes, of this process: a fork has none of its parent's threads."""
    from concurrent.futures import ThreadPoolExecutor  # --help starts nothing

    return ThreadPoolExecutor(1, thread_name_prefix=f"tashika-starter-{process}")

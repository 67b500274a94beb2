"""A terminal for tests: run a program on it, press keys, and see what is left on the screen."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios

from tests.cli.support import buffered

# The terminal whose keys send signals to the process.
_TAKE_IT = "import fcntl, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0)\n"
_OF_ANOTHER_TERMINAL = ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES")
ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def on_a_terminal(code, *arguments, width=80, press=None, **environment):
    """Run Python code with all its streams on a terminal; return its status and what it wrote.

    `press` is a text to wait for and a key to press when it has been seen.
    """
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
    plain = {k: v for k, v in buffered().items() if k not in _OF_ANOTHER_TERMINAL}
    job = subprocess.Popen(
        [sys.executable, "-c", _TAKE_IT + code, *map(str, arguments)],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**plain, "TERM": "xterm-256color", **environment},
        start_new_session=True,
    )
    os.close(theirs)
    written = b""
    try:
        while more := os.read(ours, 65536):
            written += more
            if press and press[0].encode() in written:
                os.write(ours, press[1])
                press = None
    except OSError:  # the terminal is closed when the last process that holds it ends
        pass
    os.close(ours)
    return job.wait(timeout=60), written.decode()


def painted(text):
    """All lines that were ever to be seen, without colours."""
    return re.split(r"[\r\n]", ESCAPE.sub("", text))


def screen(text):
    """What is left to see at the end, on a terminal that knows little and has no margins."""
    rows, row, column = [""], 0, 0
    for piece in re.split(rf"({ESCAPE.pattern}|\r|\n)", text):
        if piece == "\r":
            column = 0
        elif piece == "\n":
            row += 1
            rows += [""] * (row + 1 - len(rows))
        elif piece.startswith("\x1b"):
            number = int(re.sub(r"\D", "", piece) or 1)
            row -= number if piece.endswith("A") else 0
            rows[row] = "" if piece.endswith("K") else rows[row]
        else:
            rows[row] = rows[row][:column].ljust(column) + piece + rows[row][column + len(piece) :]
            column += len(piece)
    return [line for line in rows if line]

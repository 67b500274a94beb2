"""The command line. Only this package prints.

Nothing heavy is imported at the top of its files, so that `--help` answers at once.
"""

# Not signal, which takes a while to load: until then Ctrl-C is a traceback.
import _signal  # type: ignore[import-not-found]
import os
import sys


def _leave(*_: object) -> None:
    """End at once. An exception would not do: raised in a callback of an import, it is lost."""
    os.write(2, b"Interrupted: nothing was written.\n")
    os._exit(130)


def _is_the_program() -> bool:
    """Return whether the module being run imports this one: signals of others are not ours."""
    frame = sys._getframe(2).f_back  # above this package
    while frame is not None and "importlib" in frame.f_code.co_filename:
        frame = frame.f_back
    return frame is not None and frame.f_globals.get("__name__") == "__main__"


def _answer_control_c() -> bool:
    """Have Ctrl-C end the program where it means what it always does; return whether it does."""
    if not _is_the_program() or _signal.getsignal(_signal.SIGINT) is not _usual:
        return False
    try:
        _signal.signal(_signal.SIGINT, _leave)
    except ValueError:  # in a thread
        return False
    return True


_usual = _signal.default_int_handler
_answers = _answer_control_c()
try:
    from linkprior.cli.main import cli, main
except KeyboardInterrupt:
    if _answers:
        _leave()
    raise
finally:
    if _answers:
        _signal.signal(_signal.SIGINT, _usual)

__all__ = ["cli", "main"]

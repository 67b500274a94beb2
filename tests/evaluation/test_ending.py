"""Processes that try settings are ended by Ctrl-C, none of them while it is being started."""

import threading
import time
from multiprocessing import get_context

from linkprior.evaluation.tuning import executor


def test_processes_are_ended_once_all_have_started():
    context = get_context("spawn")
    executor._starting.acquire()
    ending = threading.Thread(target=executor.end_processes)
    ending.start()
    child = context.Process(target=time.sleep, args=(600,))
    child.start()  # as if by the one who holds the lock
    ending.join(0.3)
    assert ending.is_alive()
    assert child.is_alive()
    executor._starting.release()
    ending.join(60)
    child.join(60)
    assert child.exitcode == -9

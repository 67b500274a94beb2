"""Load every kind of file with an audit hook that notes whatever a loader has no business doing.

Run as a process of its own (a hook stays for good), with the folder of inputs, a folder of attacks
and the folders of results. Everything is loaded twice: once to have all modules imported, once with
the hook awake. Prints JSON: what was noted, and how many loads there were.
"""

import contextlib
import json
import sys
from pathlib import Path

import linkprior as lp
from linkprior.errors import LinkpriorError
from linkprior.evaluation.store import read_json
from linkprior.report.folder import folder_page

# Running code, other programs, other machines; `import` and the like would be code as well.
FORBIDDEN = (
    *("pickle.find_class", "exec", "marshal.load", "marshal.loads", "code.__new__", "import"),
    *("os.system", "os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn"),
    *("subprocess.Popen", "pty.spawn", "webbrowser.open"),
    *("socket.connect", "socket.bind", "socket.sendto", "socket.getaddrinfo", "urllib.Request"),
    *("os.remove", "os.rename", "os.mkdir", "os.rmdir", "os.chmod", "os.symlink", "os.link"),
    *("shutil.rmtree", "shutil.copyfile", "shutil.move", "os.truncate"),
)
awake, noted = False, []
libraries = set()  # threadpoolctl looks at those that are loaded, each time anew


def hook(event, arguments):
    if not awake:
        if event == "ctypes.dlopen":
            libraries.add(arguments[0])
        return
    if event in FORBIDDEN or (event == "ctypes.dlopen" and arguments[0] not in libraries):
        noted.append(f"{event} {arguments!r:.200}")
    elif event == "compile" and arguments[1] not in ("<unknown>", b"<unknown>"):
        noted.append(f"compile {arguments!r:.200}")  # <unknown>: literals are parsed, not run
    elif event == "open" and isinstance(arguments[1], str) and set(arguments[1]) & set("wax+"):
        noted.append(f"open {arguments!r:.200}")


def loads(inputs, attacks, results):
    """Yield calls that load one thing each."""
    for path in sorted(inputs.iterdir()):
        yield lambda path=path: lp.read_network(path)
    for path in sorted(attacks.iterdir()):
        load = lp.load if path.is_dir() else lp.read_network
        yield lambda path=path, load=load: load(path)
    for folder in results:
        yield lambda folder=folder: folder_page(folder)
        for path in sorted(folder.rglob("*.json")):
            yield lambda path=path: read_json(path)
    yield lambda: lp.load(results[0] / "model")
    yield lambda: lp.load_run(results[0])


def main():
    global awake
    inputs, attacks, *results = map(Path, sys.argv[1:])
    done = {"loaded": 0, "refused": 0}
    sys.addaudithook(hook)
    for again in (False, True):
        for load in loads(inputs, attacks, results):
            awake = again
            try:
                with contextlib.suppress(LinkpriorError):
                    load()
                    done["loaded"] += again
                    continue
                done["refused"] += again
            finally:
                awake = False
    print(json.dumps({"noted": noted, **done}))


if __name__ == "__main__":
    main()

"""A web server on this machine, and catalogues of one network that lead to it."""

import hashlib
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from linkprior.io.datasets import Entry

TEXT = "".join(f"a{k}\tb{k * 7 % 101}\n" for k in range(5000)).encode()
FILE = "folder/net.tsv"


class Site:
    """A web server on this machine; `pages` maps a path to what answers a request for it."""

    def __init__(self):
        self.pages = {}
        self.hits = []
        self.release = threading.Event()
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                site.hits.append(self.path)
                site.pages.get(self.path, missing)(self)

            def log_message(self, *arguments):
                pass

        class Server(ThreadingHTTPServer):
            def handle_error(self, *arguments):
                pass  # a client that hangs up is what several tests are about

        self.server = Server(("127.0.0.1", 0), Handler)
        self.root = f"http://127.0.0.1:{self.server.server_port}"
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True)

    def close(self):
        self.release.set()
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


def missing(request):
    request.send_error(404)


def serve(body, status=200, length=None, **headers):
    def answer(request):
        request.send_response(status)
        request.send_header("Content-Length", str(len(body) if length is None else length))
        for key, value in headers.items():
            request.send_header(key, value)
        request.end_headers()
        request.wfile.write(body)

    return answer


def cut_short(request):
    """Announce the whole file and hang up in its middle."""
    request.send_response(200)
    request.send_header("Content-Length", str(len(TEXT)))
    request.end_headers()
    request.wfile.write(TEXT[: len(TEXT) // 2])


def endless(request):
    """Say no length and go on far beyond any limit here, but not for ever."""
    request.send_response(200)
    request.end_headers()
    for _ in range(300):
        request.wfile.write(b"x" * 65536)


def entry(url, content=TEXT, file=FILE, **changes):
    settings = {
        "name": "net",
        "title": "A network",
        "file": file,
        "url": url,
        "address": "seen",
        "sha256": hashlib.sha256(content).hexdigest(),
        "bytes": len(content),
        "nodes": 1,
        "edges": 1,
        "licence": "MIT",
        "source": "owner/name: net.tsv",
    }
    return Entry(**{**settings, **changes})


def one(url, **changes):
    """A catalogue of one network."""
    return {"net": entry(url, **changes)}


def files_in(folder):
    """Every file below a folder, hidden and temporary ones too."""
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


def forbidden(*arguments, **options):
    raise AssertionError("the network was touched")

"""Serves pages with every fault that a server has, on a port of this machine: prints the port, then `asked PATH` and
`gone PATH` as clients ask and give up. `release` on stdin lets the held page go."""

import socket
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

released = threading.Event()
turn = threading.Lock()


def say(line):
    with turn:
        print(line, flush=True)


class Pages(BaseHTTPRequestHandler):
    def do_GET(self):
        say(f"asked {self.path}")
        page = self.path.rsplit("/", 1)[-1]
        answer = getattr(self, f"page_{page}", None)
        if answer:
            answer()
        else:
            self.give(200, f"page number {page}\n".encode())

    def give(self, status, body, length=None):
        self.send_response(status)
        self.send_header("Content-Length", str(length or len(body)))
        self.end_headers()
        self.wfile.write(body)

    def page_2(self):  # held until `release`, or until the client has gone
        self.connection.settimeout(0.01)
        while not released.is_set():
            try:
                if not self.connection.recv(1, socket.MSG_PEEK):
                    return say(f"gone {self.path}")
            except TimeoutError:
                pass
            except OSError:
                return say(f"gone {self.path}")
        self.connection.settimeout(None)
        self.give(200, b"slow but there\n")

    def page_4(self):
        self.give(500, b"broken")

    def page_5(self):  # truncated
        self.close_connection = True
        self.give(200, b"only so", length=1000)

    def page_6(self):  # no answer at all
        self.close_connection = True

    def page_7(self):
        self.give(200, b"\xff\xfe\xfd")

    def page_8(self):  # long, in many pieces
        self.give(200, b"x" * 1_000_000 + b"\n")

    def log_message(self, format, *arguments):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Pages)
server.daemon_threads = True
threading.Thread(target=server.serve_forever, daemon=True).start()
say(f"port {server.server_address[1]}")
for line in sys.stdin:
    if line.strip() == "release":
        released.set()

"""Answers requests in every good and bad way that the tests of `spin:http` need, on two ports of this machine: prints
`ports A B`, then `asked METHOD PATH` for each request, and `gone PATH` when a client gives up. A line on stdin lets one
held answer continue."""

import gzip
import socket
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

released = threading.Semaphore(0)
turn = threading.Lock()
refused = set()  # keys of alarms
bomb = gzip.compress(bytes(64 << 20))


def say(line):
    with turn:
        print(line, flush=True)


class Answers(BaseHTTPRequestHandler):
    def handle_one(self):
        say(f"asked {self.command} {self.path}")
        path = self.path.removeprefix("http://nowhere.invalid")  # asked as a proxy
        name = path.split("?")[0].strip("/").replace("/", "_")
        getattr(self, f"answer_{name}", self.answer_missing)()

    do_GET = do_POST = do_PUT = do_HEAD = do_DELETE = handle_one

    def give(self, status, body, type="text/plain", length=None, **headers):
        self.send_response(status)
        self.send_header("Content-Type", type)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def begin(self, type="text/plain"):
        """The head of a body that ends with the connection."""
        self.send_response(200)
        self.send_header("Content-Type", type)
        self.end_headers()

    def hold(self):
        """Waits for a line on stdin, or until the client has gone; says which."""
        self.connection.settimeout(0.01)
        while not released.acquire(blocking=False):
            try:
                if not self.connection.recv(1, socket.MSG_PEEK):
                    say(f"gone {self.path}")
                    return False
            except TimeoutError:
                pass
            except OSError:
                say(f"gone {self.path}")
                return False
        self.connection.settimeout(None)
        return True

    def answer_missing(self):
        self.give(404, b"nothing here")

    def answer_text(self):
        self.give(200, "grüß Gott\n".encode())

    def answer_echo(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        names = ("Accept", "Authorization", "Content-Type", "Cookie", "User-Agent", "X-Key", "X-Team")
        if not self.headers["Host"].startswith("127.0.0.1"):
            names += ("Host",)
        lines = [f"{self.command} {self.path}"] + [f"{n}: {value}" for n in names for value in self.headers.get_all(n, [])]
        self.give(200, "|".join(lines).encode() + b"|" + body, X_Answer="yes")

    def answer_alarms(self):
        """Takes an alarm at the second time."""
        body = self.rfile.read(int(self.headers["Content-Length"]))
        key = self.headers["Idempotency-Key"]
        say(f"alarm {key} {body.decode()}")
        is_new = key not in refused
        refused.add(key)
        self.give(503 if is_new else 204, b"")

    def answer_bytes(self):
        self.give(200, b"\xff\x00\xfe")

    def answer_large(self):
        self.give(200, b"x" * 5000)

    def answer_huge(self):
        self.give(200, bytes(33 << 20))

    def answer_bomb(self):
        self.give(200, bomb, Content_Encoding="gzip")

    def answer_never(self):
        if self.hold():
            self.give(200, b"late")

    def answer_shaky(self):  # each line on stdin makes one answer fail
        if released.acquire(blocking=False):
            self.give(503, b"")
        else:
            self.give(200, b"fine")

    def answer_drip(self):  # a header that never ends
        self.close_connection = True
        try:
            self.wfile.write(b"HTTP/1.1 200 OK\r\nX-Long: ")
            while not released.acquire(timeout=0.005):
                self.wfile.write(b"x")
        except OSError:
            say(f"gone {self.path}")

    def answer_cut(self):
        self.close_connection = True
        self.give(200, b"only so", length=1000)

    def answer_silent(self):
        self.close_connection = True

    def answer_garbage(self):
        self.close_connection = True
        self.wfile.write(b"220 mail ready\r\n")

    def answer_circle(self):
        self.give(302, b"", Location="/circle")

    def answer_hop(self):
        self.give(303, b"", Location="/echo")

    def answer_kept(self):
        self.give(307, b"", Location="/echo")

    def answer_away(self):
        self.give(302, b"", Location=f"http://127.0.0.1:{ports[1]}/echo")

    def answer_file(self):
        self.give(302, b"", Location="file:///etc/passwd")

    def answer_lines(self):
        self.begin()
        self.wfile.write(b"one\r\ntwo\nthr")
        if self.hold():
            self.wfile.write(b"ee\nbad \xff\nrest")

    def answer_many(self):
        self.begin()
        self.wfile.write(b"".join(b"%d\n" % n for n in range(2000)))

    def answer_quiet(self):
        self.close_connection = True
        self.wfile.write(b"HTTP/1.1 200 OK\r\n\r\none\n")  # at once, so that no client is tired between
        self.hold()

    def answer_long(self):
        self.begin()
        self.wfile.write(b"x" * 5000)

    def answer_events(self):
        last = self.headers.get("Last-Event-ID", "")
        self.begin("text/event-stream; charset=utf-8")
        if last == "":
            self.wfile.write("\ufeff: hi\nretry: 1\rid: 1\r\ndata: a\ndata:b\n\nevent: x\nid: 2\ndata: ü\n\nid: 9\ndata: lost".encode())
        elif last == "2":
            self.wfile.write(b"data: third\n\n")
            if self.hold():
                self.wfile.write(b"id: 4\ndata: fourth\n\n")
                self.hold()
        else:
            self.wfile.write(f"data: after {last}\n\n".encode())
            self.hold()

    def answer_html(self):
        self.give(200, b"<p>")

    def answer_over(self):
        self.give(204, b"")

    def log_message(self, format, *arguments):
        pass


servers = [ThreadingHTTPServer(("127.0.0.1", 0), Answers) for _ in range(2)]
ports = [server.server_address[1] for server in servers]
for server in servers:
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
say(f"ports {ports[0]} {ports[1]}")
for line in sys.stdin:
    released.release()

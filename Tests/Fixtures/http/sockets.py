"""Opens WebSockets in every good and bad way that the tests of `spin:http` need, on a port of this machine: prints the
port, then a line with the path for each request, each frame that comes, and each end. A line on stdin is a path and
what its connection does."""

import base64
import hashlib
import socket
import struct
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

turn = threading.Lock()
opened = {}  # the connections, by their paths


def say(line):
    with turn:
        print(line, flush=True)


def frame(kind, payload):
    size = len(payload)
    if size < 126:
        head = bytes([size])
    else:
        head = struct.pack(">BH", 126, size) if size < 65536 else struct.pack(">BQ", 127, size)
    return bytes([0x80 | kind]) + head + payload


class Sockets(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        names = ("Sec-WebSocket-Protocol", "X-Team", "Authorization")
        line = " ".join([f"{self.path} asked"] + [self.headers[name] for name in names if name in self.headers])
        self.close_connection = True
        page = self.path.split("?")[0].strip("/")
        if page not in ("missing", "moved", "never"):
            return self.open(page, line)
        say(line)
        if page == "missing":
            return self.send_error(404)
        if page == "moved":
            self.send_response(302)
            self.send_header("Location", "/socket")
            self.send_header("Content-Length", "0")
            return self.end_headers()
        if page == "never":
            self.connection.recv(1)
            say(f"{self.path} gone")

    def do_CONNECT(self):
        """As a proxy, which finds itself behind each name."""
        say(f"{self.path} tunnel")
        self.send_response(200)
        self.end_headers()

    def open(self, page, line):
        """Serves a WebSocket. The line of its end is there before the client sees the end."""
        self.answer(page)
        say(line)
        try:
            self.serve()
        except OSError:
            pass
        say(f"{self.path} gone")

    def answer(self, page):
        key = self.headers["Sec-WebSocket-Key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        accept = base64.b64encode(hashlib.sha1(key.encode()).digest()).decode()
        lines = ["HTTP/1.1 101 Switching Protocols", "Upgrade: WebSocket", "Connection: keep-alive, Upgrade"]
        lines.append(f"Sec-WebSocket-Accept: {accept[::-1] if page == 'key' else accept}")
        if page == "upgrade":
            lines[1] = "Upgrade: h2c"
        if page == "protocol":
            lines.append("Sec-WebSocket-Protocol: v2")
        if page == "extension":
            lines.append("Sec-WebSocket-Extensions: permessage-deflate")
        # Its first message comes together with the answer.
        first = frame(1, b"early") if page == "early" else b""
        opened[self.path] = self
        self.is_closed = False
        self.connection.sendall("\r\n".join(lines + ["", ""]).encode() + first)

    def read(self, size):
        data = self.rfile.read(size)
        if len(data) < size:
            raise ConnectionError
        return data

    def serve(self):
        message = b""
        while True:
            first, second = self.read(2)
            size = second & 127
            if size > 125:
                size = int.from_bytes(self.read(2 if size == 126 else 8), "big")
            if not second & 128:
                return say(f"{self.path} has sent without a mask")
            mask, data = self.read(4), self.read(size)
            data = bytes(byte ^ mask[index & 3] for index, byte in enumerate(data)) if size < 5000 else data
            kind = first & 15
            if kind == 8:
                return self.end(data)
            if kind in (9, 10):
                say(f"{self.path} {'ping' if kind == 9 else 'pong'} {data.decode()}")
                if kind == 9 and self.path != "/deaf":
                    self.connection.sendall(frame(10, data))
                continue
            message += data
            if first & 128:
                is_text = kind == 1 and size < 5000
                say(f"{self.path} {f'text {message.decode()}' if is_text else f'binary {len(message)}'}")
                message = b""

    def end(self, data):
        say(f"{self.path} close {int.from_bytes(data[:2], 'big')} {data[2:].decode()}")
        if self.path == "/silent":
            self.read(1)
        if not self.is_closed:
            self.connection.sendall(frame(8, data))

    def do(self, command, words):
        if command == "text":
            self.connection.sendall(frame(1, words.encode()))
        elif command == "binary":
            self.connection.sendall(frame(2, bytes(int(words))))
        elif command == "raw":
            self.connection.sendall(bytes.fromhex(words))
        elif command == "many":
            self.connection.sendall(b"".join(frame(1, b"%d" % number) for number in range(int(words))))
        elif command == "close":
            code, _, reason = words.partition(" ")
            self.is_closed = True
            self.connection.sendall(frame(8, int(code).to_bytes(2, "big") + reason.encode()))
        elif command == "drop":
            self.connection.shutdown(socket.SHUT_RD)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Sockets)
server.daemon_threads = True
threading.Thread(target=server.serve_forever, daemon=True).start()
say(server.server_port)
for line in sys.stdin:
    path, command, *words = line.rstrip("\n").split(" ", 2)
    opened[path].do(command, words[0] if words else "")

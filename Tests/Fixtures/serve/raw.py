"""Sends bytes to a server: raw.py http://HOST:PORT BYTES, with `\r`, `\n` and `\xff`. For `{slow}` at the end it sends the
letter `a` again and again until the server closes. Prints the status of each answer, and `closed`."""
import re, socket, sys, time

host, port = sys.argv[1].removeprefix("http://").rsplit(":", 1)
data = sys.argv[2].encode().decode("unicode_escape").encode("latin1")
client = socket.create_connection((host.strip("[]"), int(port)))
found = b""
try:
    client.sendall(data.removesuffix(b"{slow}"))
    while data.endswith(b"{slow}"):
        client.sendall(b"a")
        time.sleep(0.05)
    while more := client.recv(65536):
        found += more
except (BrokenPipeError, ConnectionResetError):
    pass
print(*[status.decode() for status in re.findall(rb"HTTP/1\.1 (\d+)", found)], "closed")

"""A peer of the plugin net: it does what each line of its input says, and answers with one line."""

import socket
import struct
import sys

peers = []


def place(address):
    kind, rest = address.split(":", 1)
    if kind == "unix":
        return socket.AF_UNIX, rest
    host, port = rest.rsplit(":", 1)
    if host.startswith("["):
        return socket.AF_INET6, (host[1:-1], int(port))
    return socket.AF_INET, (host, int(port))


def name(kind, at):
    return f"{kind}:[{at[0]}]:{at[1]}" if ":" in at[0] else f"{kind}:{at[0]}:{at[1]}"


def add(peer):
    peers.append(peer)
    return len(peers) - 1


def made(address, kind):
    family, at = place(address)
    peer = socket.socket(family, kind)
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    peer.bind(at)
    return peer, address if family == socket.AF_UNIX else name(address[:3], peer.getsockname())


def listen(address):
    peer, at = made(address, socket.SOCK_STREAM)
    peer.listen(16)
    return f"{add(peer)} {at}"


def bind(address):
    peer, at = made(address, socket.SOCK_DGRAM)
    return f"{add(peer)} {at}"


def accept(listener):
    return add(peers[int(listener)].accept()[0])


def dial(address):
    family, at = place(address)
    peer = socket.socket(family)
    peer.connect(at)
    return add(peer)


def shown(data):
    return data.decode("latin-1").encode("unicode_escape").decode()


def meant(text):
    return text.encode("latin-1").decode("unicode_escape").encode("latin-1")


def say(peer, text):
    peers[int(peer)].sendall(meant(text))
    return "said"


def fill(peer, count):
    peers[int(peer)].sendall(b"a" * int(count))
    return "said"


def taken(peer, count):
    data = b""
    while len(data) < count and (more := peers[int(peer)].recv(min(count - len(data), 65536))):
        data += more
    return data


def hear(peer, count):
    return shown(taken(peer, int(count)))


def count(peer, size):
    data = taken(peer, int(size))
    return f"{len(data)} {data.count(b'a')}"


def rest(peer):
    try:
        return "ended " + shown(taken(peer, 1 << 30))
    except ConnectionResetError:
        return "reset"


def end(peer):
    peers[int(peer)].shutdown(socket.SHUT_WR)
    return "ended"


def close(peer):
    peers[int(peer)].close()
    return "closed"


def reset(peer):
    peers[int(peer)].setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    return close(peer)


def tell(peer, address, text):
    peers[int(peer)].sendto(meant(text), place(address)[1])
    return "told"


def told(peer):
    return shown(peers[int(peer)].recvfrom(65536)[0])


def many(address, number):
    """Opens so many connections, and only then uses each of them."""
    first = len(peers)
    for _ in range(int(number)):
        dial(address)
    for i, peer in enumerate(peers[first:]):
        peer.sendall(f"{i}\n".encode())
    answers = sum(taken(first + i, len(f"{i}\n")) == f"{i}\n".encode() for i in range(int(number)))
    return f"{answers} answers"


for line in sys.stdin:
    command, *arguments = line.rstrip("\n").split(" ", 3 if line.startswith("tell") else 2)
    print(globals()[command](*arguments), flush=True)

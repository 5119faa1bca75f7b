import Foundation

/// A socket of this process that listens. The last release closes it.
final class LocalServer {
    private let socket: Int32
    /// Of a server for TCP.
    let port: UInt16

    /// Listens to a port of this machine, which the kernel chooses.
    init() throws {
        socket = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let number = socket
        // Safe because the address is a local, with its size.
        let isBound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe bind(number, address, size) == 0 && getsockname(number, address, &size) == 0
            }
        }
        port = UInt16(bigEndian: address.sin_port)
        guard isBound, listen(socket, 8) == 0 else { throw POSIXError(.EIO) }
    }

    /// Listens to a local name; one that begins with `@` is one without a file.
    init(local name: String, type: Int32 = Int32(SOCK_STREAM.rawValue)) throws {
        socket = Foundation.socket(AF_UNIX, type | Int32(SOCK_CLOEXEC.rawValue), 0)
        port = 0
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var bytes = Array(name.utf8)
        if bytes.first == UInt8(ascii: "@") { bytes[0] = 0 }
        let (number, size) = (socket, socklen_t(2 + bytes.count))
        // Safe because the name is shorter than its place, and the address is a local, with its size.
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
        let isBound = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(number, $0, size) == 0
            }
        }
        guard isBound, type != Int32(SOCK_STREAM.rawValue) || listen(socket, 8) == 0 else {
            throw POSIXError(.EIO)
        }
    }

    deinit { close(socket) }
}

/// Two connected local sockets.
final class SocketPair {
    private(set) var ends: (mine: Int32, other: Int32)

    init() throws {
        var numbers: [Int32] = [-1, -1]
        // Safe because the call writes two numbers.
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard unsafe socketpair(AF_UNIX, type, 0, &numbers) == 0 else { throw POSIXError(.EIO) }
        ends = (numbers[0], numbers[1])
    }

    deinit {
        close(ends.mine)
        closeOther()
    }

    /// Closes this process's descriptor of the end that another process has.
    func closeOther() {
        if ends.other >= 0 { close(ends.other) }
        ends.other = -1
    }
}

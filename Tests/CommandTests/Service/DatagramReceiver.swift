import Foundation
import Glibc
import TestSupport
import Testing

/// A socket of the test that takes datagrams, as a service manager's or a journal's does.
final class DatagramReceiver {
    /// A datagram, and the content of the file that came with it.
    struct Datagram {
        let bytes: [UInt8]
        let file: [UInt8]?
        /// The seals of the file (F_GET_SEALS).
        let seals: Int32

        var text: String { String(decoding: bytes, as: UTF8.self) }
    }

    /// The socket's name: a path, or `@` and a name without a file.
    let name: String
    private let descriptor: Int32

    init(_ name: String) throws {
        self.name = name
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = name.utf8.map { $0 == UInt8(ascii: "@") ? 0 : $0 }
        let length = MemoryLayout<sa_family_t>.size + bytes.count
        // Safe because the name fits an address, and the calls get the address with its size.
        let isBound = unsafe withUnsafeMutableBytes(of: &address) { memory in
            unsafe memory[MemoryLayout<sa_family_t>.size...].copyBytes(from: bytes)
            return unsafe bind(
                descriptor, memory.assumingMemoryBound(to: sockaddr.self).baseAddress!, socklen_t(length))
                == 0
        }
        try #require(isBound, "the socket `\(name)` cannot be made")
    }

    deinit { close(descriptor) }

    /// The next datagram; fails the test when none comes.
    func next() throws -> Datagram {
        try blockUntil { isReady }
        return try #require(receive())
    }

    /// The next text that a predicate accepts; others are left out.
    func next(where accepts: (String) -> Bool) throws -> String {
        while true {
            let text = try next().text
            if accepts(text) { return text }
        }
    }

    /// All datagrams that are there now.
    func waiting() -> [String] {
        var texts: [String] = []
        while isReady, let datagram = receive() { texts.append(datagram.text) }
        return texts
    }

    private var isReady: Bool {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        // Safe because the request is a local, which the call writes.
        return unsafe poll(&request, 1, 0) == 1
    }

    private func receive() -> Datagram? {
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        var control = [UInt64](repeating: 0, count: 8)
        let count = bytes.count
        // Safe because all buffers live for the call, with their sizes.
        let (size, controlSize) = unsafe bytes.withUnsafeMutableBytes { bytes in
            unsafe control.withUnsafeMutableBytes { control in
                var part = unsafe iovec(iov_base: bytes.baseAddress, iov_len: count)
                return unsafe withUnsafeMutablePointer(to: &part) { part in
                    var message = unsafe msghdr()
                    unsafe (message.msg_iov, message.msg_iovlen) = (part, 1)
                    unsafe (message.msg_control, message.msg_controllen) = (
                        control.baseAddress, control.count
                    )
                    let size = unsafe recvmsg(descriptor, &message, 0)
                    return unsafe (size, message.msg_controllen)
                }
            }
        }
        guard size >= 0 else { return nil }
        let text = Array(bytes.prefix(size))
        guard controlSize > 16 else { return Datagram(bytes: text, file: nil, seals: 0) }
        // `struct cmsghdr`: 64 bits of length, two numbers of 32 bits, then the descriptor.
        let file = Int32(truncatingIfNeeded: control[2] & 0xFFFF_FFFF)
        defer { close(file) }
        let handle = FileHandle(fileDescriptor: file, closeOnDealloc: false)
        try? handle.seek(toOffset: 0)
        return Datagram(
            bytes: text, file: (try? handle.readToEnd()).map { Array($0) },
            seals: fcntl(file, 1034))
    }
}

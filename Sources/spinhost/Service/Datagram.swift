import CLinux
import Glibc
import PluginHost

/// Sends datagrams to the sockets of a service manager.
enum Datagram {
    /// Sends the bytes to the socket of that name; `@` stands for the NUL of a name without a file.
    ///
    /// - Throws: the system's error.
    static func send(_ bytes: [UInt8], to name: String) throws(SystemError) {
        try send(bytes, with: -1, to: name)
    }

    /// Sends the bytes as a sealed file in memory, which may be longer than a datagram.
    ///
    /// - Throws: the system's error.
    static func sendSealed(_ bytes: [UInt8], to name: String) throws(SystemError) {
        // Safe because the array's bytes are borrowed for the call.
        let memory = unsafe linux_sealed_memory(bytes, bytes.count)
        guard memory >= 0 else { throw SystemError(number: errno) }
        defer { close(memory) }
        try send([], with: memory, to: name)
    }

    private static func send(
        _ bytes: [UInt8], with descriptor: Int32, to name: String
    ) throws(SystemError) {
        // Safe because name and bytes are borrowed for the call.
        let error = unsafe linux_send_datagram(name, bytes, bytes.count, descriptor)
        guard error == 0 else { throw SystemError(number: error) }
    }
}

import Glibc
import PluginHost

/// The system's journal, which takes each entry as named fields in one datagram (systemd's native protocol).
struct SystemJournal: Sendable {
    /// The journal's socket.
    let socket: String

    /// The journal on this system.
    static let standard = SystemJournal(socket: "/run/systemd/journal/socket")

    /// Whether the standard error output leads to the journal: the variable `JOURNAL_STREAM` has its device and inode.
    static var hasErrorOutput: Bool {
        // Safe because no thread changes the environment, and the text is copied.
        let stream = unsafe getenv("JOURNAL_STREAM").map { unsafe String(cString: $0) }
        var status = stat()
        // Safe because the structure lives for the call.
        guard let stream, unsafe fstat(STDERR_FILENO, &status) == 0 else { return false }
        return stream == "\(status.st_dev):\(status.st_ino)"
    }

    /// Writes an entry.
    ///
    /// - Returns: false when the journal does not take it.
    func write(_ fields: [(name: String, value: String)]) -> Bool {
        let entry = Self.entry(fields)
        do {
            do { try Datagram.send(entry, to: socket) } catch {
                guard error.number == EMSGSIZE || error.number == ENOBUFS else { throw error }
                try Datagram.sendSealed(entry, to: socket)
            }
            return true
        } catch { return false }
    }

    /// The bytes of an entry: `NAME=VALUE` and a line end for each field. For a value with a line end, the name has a line
    /// of its own, and 64 bits before the value, the lowest first, have its length.
    static func entry(_ fields: [(name: String, value: String)]) -> [UInt8] {
        var bytes: [UInt8] = []
        let lineEnd = UInt8(ascii: "\n")
        for (name, value) in fields {
            bytes += name.utf8
            if value.utf8.contains(lineEnd) {
                bytes.append(lineEnd)
                let length = UInt64(value.utf8.count)
                bytes += (0..<8).map { UInt8(truncatingIfNeeded: length >> ($0 * 8)) }
            } else {
                bytes.append(UInt8(ascii: "="))
            }
            bytes += value.utf8
            bytes.append(lineEnd)
        }
        return bytes
    }
}

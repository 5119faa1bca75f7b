import Glibc
import Journal

/// A process that writes to a journal, for tests that kill it, or have its system calls fail.
///
/// `JournalWriter FILE off|full CHUNKS BYTES` appends chunks of a size, and prints the number of each one when it
/// is acknowledged, on a line. After the last one it prints `done`, and waits until its input ends. When an
/// append fails it prints the error, tries another one, and prints that error too.
@main
enum JournalWriter {
    static func main() {
        let arguments = CommandLine.arguments
        guard arguments.count == 5, let chunks = UInt64(arguments[3]), let size = Int(arguments[4]) else {
            exit(64)
        }
        say("mapped before: \(isLibraryMapped)")
        do throws(JournalError) {
            let header = JournalHeader(id: String(repeating: "0", count: 32), app: "levels", created: 1)
            let store = try SQLiteStore(
                path: arguments[1],
                .write(create: header, durability: arguments[2] == "full" ? .full : .off))
            say("mapped after: \(isLibraryMapped)")
            append(to: store, chunks, size)
            say("done")
            while readLine() != nil {}
        } catch {
            say("\(error.kind): \(error)")
        }
    }

    private static func append(to store: SQLiteStore, _ chunks: UInt64, _ size: Int) {
        var newest: Chunk?
        for _ in 0..<chunks {
            do throws(JournalError) {
                if newest == nil { newest = try store.last() }
                let chunk = next(after: newest, size)
                try store.append(chunk)
                newest = chunk
                say("\(chunk.number)")
            } catch {
                say("\(error.kind): \(error)")
                do throws(JournalError) {
                    try store.append(next(after: newest, size))
                    say("appended")
                } catch {
                    say("again \(error.kind)")
                }
                return
            }
        }
    }

    private static func next(after chunk: Chunk?, _ size: Int) -> Chunk {
        Chunk(after: chunk, count: 2, time: 1, bytes: [UInt8](repeating: 7, count: size))
    }

    /// Whether libsqlite3 is in this process.
    private static var isLibraryMapped: Bool {
        // Safe because the file is closed once, and each line is copied.
        guard let maps = unsafe fopen("/proc/self/maps", "r") else { return false }
        defer { unsafe _ = fclose(maps) }
        var line = [CChar](repeating: 0, count: 4_096)
        while unsafe fgets(&line, Int32(line.count), maps) != nil {
            if unsafe strstr(line, "libsqlite3") != nil { return true }
        }
        return false
    }

    private static func say(_ text: String) {
        let line = Array("\(text)\n".utf8)
        // Safe because the call reads the bytes alone.
        unsafe _ = write(STDOUT_FILENO, line, line.count)
    }
}

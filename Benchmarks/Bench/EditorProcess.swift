import Glibc

/// `spinhost lsp` as a process, and an editor's side of the talk with it.
final class EditorProcess {
    private let process: pid_t
    private let input: Int32
    private let output: Int32
    private var rest: [UInt8] = []
    private var lastRequest = 0

    init(_ spinhost: String) throws {
        var (inputs, outputs): ([Int32], [Int32]) = ([-1, -1], [-1, -1])
        // Safe because the arrays have room for both ends.
        guard unsafe pipe(&inputs) == 0, unsafe pipe(&outputs) == 0 else {
            throw BenchFault("cannot make a pipe")
        }
        var files = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&files)
        defer { unsafe posix_spawn_file_actions_destroy(&files) }
        unsafe posix_spawn_file_actions_adddup2(&files, inputs[0], STDIN_FILENO)
        unsafe posix_spawn_file_actions_adddup2(&files, outputs[1], STDOUT_FILENO)
        for end in inputs + outputs { unsafe posix_spawn_file_actions_addclose(&files, end) }
        process = try unsafe Program.start([spinhost, "lsp"], &files)
        close(inputs[0])
        close(outputs[1])
        (input, output) = (inputs[1], outputs[0])
        try request("initialize", #"{"capabilities":{}}"#)
        try notify("initialized", "{}")
    }

    /// Sends a request, and reads until its answer. Parameters are JSON.
    func request(_ method: String, _ parameters: String) throws {
        lastRequest += 1
        let id = "\"id\":\(lastRequest)"
        try send(#"{"jsonrpc":"2.0",\#(id),"method":"\#(method)","params":\#(parameters)}"#)
        while true {
            let message = try receive()
            if message.contains(id + ",") || message.contains(id + "}") {
                guard !message.contains(#""error":"#) else { throw BenchFault("\(method): \(message)") }
                return
            }
        }
    }

    func notify(_ method: String, _ parameters: String) throws {
        try send(#"{"jsonrpc":"2.0","method":"\#(method)","params":\#(parameters)}"#)
    }

    /// Reads until a notification of this method.
    func wait(for method: String) throws {
        while try !receive().contains(#""method":"\#(method)""#) {}
    }

    private func send(_ text: String) throws {
        let bytes = Array("Content-Length: \(text.utf8.count)\r\n\r\n\(text)".utf8)
        var sent = 0
        while sent < bytes.count {
            // Safe because the bytes from `sent` on are the array's own.
            let count = unsafe bytes.withUnsafeBytes { bytes in
                unsafe write(input, bytes.baseAddress! + sent, bytes.count - sent)
            }
            guard count > 0 else { throw BenchFault("`spinhost lsp` does not read") }
            sent += count
        }
    }

    /// The next message, without its header.
    private func receive() throws -> String {
        let end = Array("\r\n\r\n".utf8)
        while true {
            let head = rest.indices.first { rest[$0...].starts(with: end) }
            if let head, let size = Int(String(decoding: rest[..<head], as: UTF8.self).drop { !$0.isNumber }),
                rest.count >= head + 4 + size
            {
                defer { rest.removeFirst(head + 4 + size) }
                return String(decoding: rest[head + 4..<head + 4 + size], as: UTF8.self)
            }
            var piece = [UInt8](repeating: 0, count: 65536)
            // Safe because the count is the array's own.
            let count = unsafe read(output, &piece, piece.count)
            guard count > 0 else { throw BenchFault("`spinhost lsp` ended") }
            rest += piece.prefix(count)
        }
    }

    /// Ends the program by the end of its input, and waits for that.
    func end() {
        close(input)
        var status: Int32 = 0
        // Safe because the status is a local, which the call writes.
        _ = unsafe waitpid(process, &status, 0)
        close(output)
    }
}

import ArgumentParser
import Diagnostics
import Glibc
import PluginHost

/// The file of a recording, which commands read line by line.
enum RecordingFile {
    /// Makes the file the standard input, unless its name is `-`.
    ///
    /// - Throws: an exit code, after the reason was printed.
    static func open(_ file: String) throws {
        guard file != "-" else { return }
        // Safe because the path is a NUL-terminated copy for the call.
        let descriptor = unsafe Glibc.open(file, O_RDONLY | O_CLOEXEC)
        var status = stat()
        // Safe because the structure lives for the call.
        guard descriptor >= 0, unsafe fstat(descriptor, &status) == 0, dup2(descriptor, STDIN_FILENO) >= 0
        else {
            let reason = SystemError(number: errno).text
            ErrorOutput.line("error: `\(file)` cannot be read: \(reason)")
            throw ExitStatus.unreadable
        }
        close(descriptor)
        guard status.st_mode & S_IFMT != S_IFDIR else {
            ErrorOutput.line("error: `\(file)` is a folder")
            throw ExitStatus.unreadable
        }
    }

    /// The span of a part of a line, in a source file with that line alone, at its number.
    static func span(_ path: [String], in line: String, _ number: Int, of name: String) -> SourceSpan {
        let text = String(line.prefix { !$0.isNewline })
        let file = SourceFile(name: name, text: String(repeating: "\n", count: number - 1) + text)
        let start = SourcePosition(line: number, column: 1)
        return SourceText(text: text, file: file, start: start).span(of: JSONRange.range(of: path, in: text))
    }
}

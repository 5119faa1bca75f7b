import Diagnostics
import Glibc
import PluginHost

/// Stderr, for everything that is not data.
enum ErrorOutput {
    /// Writes a text in one piece, with replaced secrets. A line of progress is erased before.
    static func write(_ text: String) {
        let text = Redaction.redacted(text)
        ProgressLine.paused { writeAsIs(text) }
    }

    /// Writes a text in one piece, without any replacement.
    static func writeAsIs(_ text: String) {
        var text = text
        text.withUTF8 { bytes in
            // Safe because the bytes are borrowed for the call. A failure is ignored: there is no output left
            // to report it.
            _ = unsafe Glibc.write(STDERR_FILENO, bytes.baseAddress, bytes.count)
        }
    }

    /// Writes one line.
    static func line(_ text: String) { write(text + "\n") }

    /// Writes a diagnostic, in colour on a terminal.
    static func show(_ diagnostic: Diagnostic) {
        write(DiagnosticRenderer(color: Terminal.hasColor(STDERR_FILENO)).render(diagnostic))
    }

    /// Writes an error that has no span in a text.
    static func show(_ error: PluginError) {
        show(Diagnostic(.error, error.code, error.message, help: error.help))
    }
}

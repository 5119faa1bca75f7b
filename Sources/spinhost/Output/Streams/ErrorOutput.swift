import Diagnostics
import Glibc
import PluginHost

/// The standard error output: everything that is not data.
enum ErrorOutput {
    /// Writes text as it is, in one piece, without secrets.
    static func write(_ text: String) {
        var text = Redaction.redacted(text)
        text.withUTF8 { bytes in
            // Safe because the bytes are borrowed for the call. Nobody can be told that this output failed.
            _ = unsafe Glibc.write(STDERR_FILENO, bytes.baseAddress, bytes.count)
        }
    }

    /// Writes one line.
    static func line(_ text: String) { write(text + "\n") }

    /// Writes a diagnostic, in colour on a terminal.
    static func show(_ diagnostic: Diagnostic) {
        write(DiagnosticRenderer(color: Terminal.hasColor(STDERR_FILENO)).render(diagnostic))
    }

    /// Writes a fault that has no place in a text.
    static func show(_ error: PluginError) {
        show(Diagnostic(.error, error.code, error.message, help: error.help))
    }
}

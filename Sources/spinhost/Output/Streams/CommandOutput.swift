import ArgumentParser
import Glibc
import PluginHost

/// Stdout for a command's data. Plugins that print cannot write to it.
struct CommandOutput {
    let standard: StandardOutput
    /// Whether to colour it with ANSI escapes.
    let hasColor: Bool

    /// Opens the output.
    ///
    /// - Throws: an exit code, after it has printed the reason.
    init() throws {
        // From `take` on, descriptor 1 is not the output any more.
        hasColor = Terminal.hasColor(STDOUT_FILENO)
        do { standard = try StandardOutput.take() } catch {
            ErrorOutput.show(error)
            throw ExitStatus.unexpected
        }
    }

    /// Writes one line with replaced secrets. If the reader has closed the output, it does nothing.
    ///
    /// - Throws: an exit code if the line cannot be written, after it has printed the reason.
    func line(_ text: String) throws { _ = try isRead(text) }

    /// The same; false when the reader has closed the output.
    func isRead(_ text: String) throws -> Bool {
        do {
            let line = Redaction.redacted(text)
            try ProgressLine.paused { () throws(PluginError) in try standard.writeLine(line) }
            return true
        } catch {
            guard error.code != .outputClosed else { return false }
            ErrorOutput.show(error)
            throw ExitStatus.unexpected
        }
    }
}

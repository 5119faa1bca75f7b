import ArgumentParser
import PluginHost

/// Stdout for a command's data, out of reach of what plugins print.
struct CommandOutput {
    let standard: StandardOutput

    /// - Throws: an exit code, after the reason was printed.
    init() throws {
        do { standard = try StandardOutput.take() } catch {
            ErrorOutput.show(error)
            throw ExitStatus.unexpected
        }
    }

    /// Writes one line without secrets; a reader that has gone wants no more of them.
    ///
    /// - Throws: an exit code, after the reason was printed, when the line cannot be written.
    func line(_ text: String) throws {
        do { try standard.writeLine(Redaction.redacted(text)) } catch {
            guard error.code != .outputClosed else { return }
            ErrorOutput.show(error)
            throw ExitStatus.unexpected
        }
    }
}

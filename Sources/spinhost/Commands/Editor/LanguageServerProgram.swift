import App
import ArgumentParser
import Dispatch
import Glibc
import LanguageServer
import PluginHost
import Records

/// Connects a language session with stdin and stdout.
///
/// Everything of the session happens on one queue. Checks run on another one, so that an answer waits for no check.
final class LanguageServerProgram: Sendable {
    private let output: CommandOutput
    private let queue = DispatchQueue(label: "spinhost.lsp")
    private let checks = DispatchQueue(label: "spinhost.lsp.check")
    // Safe because only `queue` uses it.
    private nonisolated(unsafe) let session = LanguageSession(version: SpinhostCommand.configuration.version)

    init(_ output: CommandOutput) { self.output = output }

    /// Reads messages up to the end of stdin or the message `exit`, and returns the exit code.
    ///
    /// - Throws: an exit code, after it has printed the reason, for bytes that are not messages.
    func run() throws -> Int32 {
        var frames = FrameReader()
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            // Safe because the buffer has the length that the call gets.
            let count = unsafe read(STDIN_FILENO, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return queue.sync { unsafe session.exitCode } }
            frames.append(buffer[..<count])
            do throws(FrameReader.Fault) {
                while let message = try frames.next() {
                    if let code = queue.sync(execute: { perform(unsafe session.receive(message)) }) {
                        return code
                    }
                }
            } catch {
                ErrorOutput.line("error: stdin is not an editor: \(error.message)")
                throw ExitStatus.usage
            }
        }
    }

    /// Does what the session asks for. It returns the exit code when the client ends the server.
    private func perform(_ outputs: [LanguageSession.Output]) -> Int32? {
        for output in outputs {
            switch output {
            case .send(let message): send(message)
            case .check(let job): start(job)
            case .end(let code): return code
            }
        }
        return nil
    }

    /// Writes a message. A client that reads no more ends stdin, too, and with it the program.
    private func send(_ message: Value) {
        // Edits must stay as they are, and have no text of a secret.
        let isEdit = message["method"] == nil
        let text = isEdit ? message.json : Redaction.redacted(message.json)
        // The line end of `writeLine` is white space of JSON.
        try? output.standard.writeLine("Content-Length: \(text.utf8.count + 1)\r\n\r\n\(text)")
    }

    private func start(_ job: CheckJob) {
        checks.async { [self] in
            let outcome = job.run(standardPlugin: StandardPluginImage.description)
            Redaction.conceal(outcome.secrets)
            // The outcome of a long manifest takes long to free, which this queue does.
            queue.sync { _ = perform(unsafe session.receive(outcome)) }
        }
    }
}

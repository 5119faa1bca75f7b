import Glibc
import PluginCheck

/// A process of this program that tries a plugin and prints the outcome (`RuleAnswers`). A crash of the
/// plugin is an outcome too.
struct TrialProcess {
    /// The path of this program.
    let program: String
    /// The time limit in seconds.
    let limit: Int
    /// The additional waiting time in seconds, for a process that kills itself at the limit.
    var patience = 0

    /// The reason why the process could not be run.
    struct Failure: Error { let reason: String }

    /// Runs the process and returns the outcome.
    ///
    /// - Parameters:
    ///   - words: the arguments of the program.
    ///   - input: its standard input.
    ///   - name: the name of the trial, for messages.
    ///   - inGroup: whether it gets its own process group, which an interrupt at the terminal does not reach.
    /// - Throws: if the process could not be run, which is not the plugin's fault.
    func outcome(
        of words: [String], input: String = "", named name: String, inGroup: Bool = false
    ) throws(Failure) -> RuleOutcome {
        // Safe because the streams are closed once, below, and the text is a NUL-terminated copy for the
        // call.
        guard let answers = unsafe tmpfile() else { throw Self.noRoom }
        defer { unsafe fclose(answers) }
        guard let errors = unsafe tmpfile() else { throw Self.noRoom }
        defer { unsafe fclose(errors) }
        guard let asked = unsafe tmpfile() else { throw Self.noRoom }
        defer { unsafe fclose(asked) }
        guard unsafe fputs(input, asked) >= 0 else { throw Self.noRoom }
        unsafe rewind(asked)
        // Core files and backtraces are not needed.
        let line =
            "ulimit -c 0; SWIFT_BACKTRACE=enable=no exec timeout --foreground --signal=KILL \(limit + patience) "
            + "\(([program] + words).map(ShellWord.quoted).joined(separator: " "))"
        let descriptors = unsafe (fileno(asked), fileno(answers), fileno(errors))
        guard let status = ShellProcess.status(of: line, descriptors: descriptors, inGroup: inGroup) else {
            throw Failure(reason: "no process can be started")
        }
        unsafe rewind(answers)
        unsafe rewind(errors)
        let said = StreamText.read(atMost: 1 << 20) { unsafe getc(errors) }
        do {
            return try RuleAnswers(StreamText.read(atMost: 1 << 20) { unsafe getc(answers) })
                .outcome(status: status, errors: said, limit: limit)
        } catch {
            let first = said.split(separator: "\n").first.map { ": \($0)" } ?? ""
            throw Failure(reason: "the process of `\(name)` could not start\(first)")
        }
    }

    private static let noRoom = Failure(reason: "a temporary file cannot be created")
}

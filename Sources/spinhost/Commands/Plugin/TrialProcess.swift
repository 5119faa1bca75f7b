import Glibc
import PluginCheck

/// A process of this program that tries something on a plugin and says what came of it, as `RuleAnswers` has it: whatever the
/// plugin does there, there is an answer.
struct TrialProcess {
    /// This program.
    let program: String
    /// How long it may take, in seconds.
    let limit: Int
    /// How much longer it is waited for, in seconds, as it kills itself at the limit.
    var patience = 0

    /// Why the process could not be run, in words.
    struct Failure: Error { let reason: String }

    /// What came of it.
    ///
    /// - Parameters:
    ///   - words: the arguments of the program.
    ///   - input: what it reads.
    ///   - name: what is tried, for messages.
    ///   - inGroup: whether who interrupts this program at a terminal does not reach it.
    /// - Throws: when the process could not be run, which says nothing about the plugin.
    func outcome(
        of words: [String], input: String = "", named name: String, inGroup: Bool = false
    ) throws(Failure) -> RuleOutcome {
        // Safe because the streams are closed once, below, and the text is a NUL-terminated copy for the call.
        guard let answers = unsafe tmpfile() else { throw Self.noRoom }
        defer { unsafe fclose(answers) }
        guard let errors = unsafe tmpfile() else { throw Self.noRoom }
        defer { unsafe fclose(errors) }
        guard let asked = unsafe tmpfile() else { throw Self.noRoom }
        defer { unsafe fclose(asked) }
        guard unsafe fputs(input, asked) >= 0 else { throw Self.noRoom }
        unsafe rewind(asked)
        // Files of a crash and backtraces are for nobody here.
        let line =
            "ulimit -c 0; SWIFT_BACKTRACE=enable=no exec timeout --foreground --signal=KILL \(limit + patience) "
            + "\(([program] + words).map(ShellWord.quoted).joined(separator: " "))"
        let descriptors = unsafe (fileno(asked), fileno(answers), fileno(errors))
        guard let status = ShellProcess.status(of: line, descriptors: descriptors, inGroup: inGroup) else {
            throw Failure(reason: "there is no room for a process")
        }
        unsafe rewind(answers)
        unsafe rewind(errors)
        let said = StreamText.read(atMost: 1 << 20) { unsafe getc(errors) }
        do {
            return try RuleAnswers(StreamText.read(atMost: 1 << 20) { unsafe getc(answers) })
                .outcome(status: status, errors: said, limit: limit)
        } catch {
            let first = said.split(separator: "\n").first.map { ": \($0)" } ?? ""
            throw Failure(reason: "the process of `\(name)` could not begin\(first)")
        }
    }

    private static let noRoom = Failure(reason: "there is no room for a temporary file")
}

import Glibc
import PluginCheck
import Records

/// Tries a rule on a plugin in a process of its own, so that whatever the plugin does there is an answer.
struct RuleProcess {
    /// This program.
    let program: String
    /// The library's file.
    let path: String
    let seed: UInt64
    /// How long a rule may take, in seconds.
    let limit: Int

    /// Why the process could not be run, in words.
    struct Failure: Error { let reason: String }

    /// What came of it.
    ///
    /// - Throws: when the process could not be run, which says nothing about the plugin.
    func outcome(of rule: CheckRule, effect: String?) throws(Failure) -> RuleOutcome {
        // Safe because both streams are closed once, below.
        guard let answers = unsafe tmpfile() else { throw Self.noRoom }
        defer { unsafe fclose(answers) }
        guard let errors = unsafe tmpfile() else { throw Self.noRoom }
        defer { unsafe fclose(errors) }
        var words = [program, "plugin", "check", "--rule", rule.rawValue, "--seed", "\(seed)"]
        if let effect { words.append("--effect=\(effect)") }
        words += ["--", path]
        // Files of a crash and backtraces are for nobody here.
        let line =
            "ulimit -c 0; SWIFT_BACKTRACE=enable=no exec timeout --foreground --signal=KILL \(limit) "
            + "\(words.map(ShellWord.quoted).joined(separator: " ")) </dev/null "
            + ">&\(unsafe fileno(answers)) 2>&\(unsafe fileno(errors))"
        guard let status = ShellProcess.status(of: line) else {
            throw Failure(reason: "there is no room for a process")
        }
        unsafe rewind(answers)
        unsafe rewind(errors)
        let said = Self.text { unsafe getc(errors) }
        do {
            return try RuleAnswers(Self.text { unsafe getc(answers) })
                .outcome(status: status, errors: said, limit: limit)
        } catch {
            let first = said.split(separator: "\n").first.map { ": \($0)" } ?? ""
            throw Failure(reason: "the process of `\(rule.rawValue)` could not begin\(first)")
        }
    }

    private static let noRoom = Failure(reason: "there is no room for a temporary file")

    /// The beginning of it, up to 1 MiB: `next` gives a byte, or a negative number at the end.
    private static func text(_ next: () -> Int32) -> String {
        var bytes: [UInt8] = []
        while bytes.count < 1 << 20 {
            let byte = next()
            guard byte >= 0 else { break }
            bytes.append(UInt8(truncatingIfNeeded: byte))
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

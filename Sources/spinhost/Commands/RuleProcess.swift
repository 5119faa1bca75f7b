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

    /// What came of it.
    func outcome(of rule: CheckRule, effect: String?) -> RuleOutcome {
        // Safe because both streams are closed once, below.
        guard let answers = unsafe tmpfile() else { return Self.noRoom }
        defer { unsafe fclose(answers) }
        guard let errors = unsafe tmpfile() else { return Self.noRoom }
        defer { unsafe fclose(errors) }
        var words = [program, "plugin", "check", "--rule", rule.rawValue, "--seed", "\(seed)"]
        if let effect { words.append("--effect=\(effect)") }
        words += ["--", path]
        // Files of a crash and backtraces are for nobody here.
        let line =
            "ulimit -c 0; SWIFT_BACKTRACE=enable=no exec timeout --foreground --signal=KILL \(limit) "
            + "\(words.map(ShellWord.quoted).joined(separator: " ")) </dev/null "
            + ">&\(unsafe fileno(answers)) 2>&\(unsafe fileno(errors))"
        guard let status = ShellProcess.status(of: line) else { return Self.noProcess }
        unsafe rewind(answers)
        unsafe rewind(errors)
        let said = Self.text { unsafe getc(errors) }
        return RuleAnswers(Self.text { unsafe getc(answers) }).outcome(
            status: status, errors: said, limit: limit)
    }

    private static let noProcess = RuleOutcome(.failed, "there is no room for a process")
    private static let noRoom = RuleOutcome(.failed, "there is no room for a temporary file")

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

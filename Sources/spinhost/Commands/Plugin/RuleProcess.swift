import PluginCheck

/// Tries a rule on a plugin in a separate process, so that a crash of the plugin is an outcome too.
struct RuleProcess {
    /// This program.
    let program: String
    /// The library's file.
    let path: String
    let seed: UInt64
    /// The time limit of a rule, in seconds.
    let limit: Int

    /// The outcome of the rule.
    ///
    /// - Throws: if the process could not be run, which is not the plugin's fault.
    func outcome(of rule: CheckRule, effect: String?) throws(TrialProcess.Failure) -> RuleOutcome {
        var words = ["plugin", "check", "--rule", rule.rawValue, "--seed", "\(seed)"]
        if let effect { words.append("--effect=\(effect)") }
        return try TrialProcess(program: program, limit: limit)
            .outcome(of: words + ["--", path], named: rule.rawValue)
    }
}

import PluginCheck

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
    ///
    /// - Throws: when the process could not be run, which says nothing about the plugin.
    func outcome(of rule: CheckRule, effect: String?) throws(TrialProcess.Failure) -> RuleOutcome {
        var words = ["plugin", "check", "--rule", rule.rawValue, "--seed", "\(seed)"]
        if let effect { words.append("--effect=\(effect)") }
        return try TrialProcess(program: program, limit: limit)
            .outcome(of: words + ["--", path], named: rule.rawValue)
    }
}

import ArgumentParser
import Diagnostics
import Interfaces
import PluginCheck
import PluginHost
import Records

/// `spinhost plugin check`
struct PluginCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Try every rule for plugins on one, each in a process of its own.",
        discussion: """
            Effects are called only with `--call` or `--effect`: they get arguments that their types allow, and do what \
            they do.
            """)

    @Argument(help: "The library: a path.", completion: .file())
    var file: String

    @Flag(help: "Call the effects, with arguments made of the seed.")
    var call = false

    @Option(help: ArgumentHelp("Call this effect only; may be repeated.", valueName: "name"))
    var effect: [String] = []

    @Option(
        help: ArgumentHelp(
            "What the arguments of calls are made of; the same makes the same calls.", valueName: "number"))
    var seed: UInt64?

    @Option(help: ArgumentHelp("How long a rule may take, in seconds.", valueName: "seconds"))
    var timeout = 20

    @Flag(help: "Print only the rules that do not hold.")
    var onlyFailed = false

    // What the process of one rule is started with.
    @Option(help: .hidden, transform: Self.rule) var rule: CheckRule?

    @OptionGroup var outputOptions: OutputOptions
    @OptionGroup(visibility: .hidden) var runOptions: RunOptions

    func validate() throws {
        try runOptions.refuse()
        guard (1...3600).contains(timeout) else {
            throw ValidationError("`--timeout` takes 1 to 3600 seconds")
        }
    }

    func run() throws {
        let output = try CommandOutput()
        if let rule { return try answer(rule, output) }
        let effects = try self.effects()
        let mayCall = call || !effect.isEmpty
        // Short enough to be typed.
        let seed = seed ?? UInt64.random(in: 1..<1 << 32)
        guard let program = InstalledPackage.program else {
            ErrorOutput.line("error: this program cannot be found, so it cannot be run once more")
            throw ExitStatus.unexpected
        }
        let process = RuleProcess(program: program, path: file, seed: seed, limit: timeout)
        var report = RuleReport(seed: seed)
        var loads = true
        // Effects whose calls do not return: nothing else can be said about them.
        var lost: Set<String?> = []
        for rule in CheckRule.allCases {
            for member in rule.stage == .calls ? effects : [nil] {
                let outcome =
                    if rule.stage == .calls, member == nil {
                        RuleOutcome.skipped(
                            mayCall ? "it has no effects" : "it calls effects: say `--call`")
                    } else if rule.stage != .file, !loads {
                        RuleOutcome.skipped("it breaks `\(CheckRule.loads.rawValue)`")
                    } else if rule.stage == .life, !mayCall {
                        RuleOutcome.skipped("it starts an instance: say `--call`")
                    } else if lost.contains(member) {
                        RuleOutcome.skipped("its calls break `\(CheckRule.callsReturn.rawValue)`")
                    } else { try outcome(of: rule, member, process) }
                if rule == .loads { loads = outcome.status == .passed }
                if rule == .callsReturn, outcome.status == .failed { lost.insert(member) }
                report.count(outcome)
                guard !onlyFailed || outcome.status == .failed else { continue }
                try output.line(
                    outputOptions.json
                        ? report.json(rule, member, outcome).json : report.line(rule, member, outcome))
            }
        }
        if !outputOptions.json { try output.line(report.summary) }
        if report.hasFailed { throw ExitStatus.no }
    }

    private static func rule(_ name: String) throws -> CheckRule {
        guard let rule = CheckRule(rawValue: name) else {
            throw ValidationError("there is no rule `\(name)`")
        }
        return rule
    }

    /// Tries a rule in a process of its own.
    private func outcome(
        of rule: CheckRule, _ effect: String?, _ process: RuleProcess
    ) throws -> RuleOutcome {
        do { return try process.outcome(of: rule, effect: effect) } catch {
            ErrorOutput.show(error.reason, help: [])
            throw ExitStatus.unexpected
        }
    }

    /// Tries the one rule, in this process.
    private func answer(_ rule: CheckRule, _ output: CommandOutput) throws {
        try output.line(RuleAnswers.begun)
        // What cannot be written will be missed by who reads it.
        let trial = PluginTrial(path: file, seed: seed ?? 0) { try? output.line(RuleAnswers.line(call: $0)) }
        do {
            try output.line(RuleAnswers.line(try trial.outcome(of: rule, effect: effect.first)))
        } catch let error as PluginError {
            ErrorOutput.show(error)
            throw ExitStatus.unexpected
        }
    }

    /// The effects to call; nil in it stands for none, as nobody said that they may be called.
    ///
    /// - Throws: an exit code, after the reason was printed, when there is no such file or effect.
    private func effects() throws -> [String?] {
        var names: [String] = []
        do {
            names = try PluginDescription.read(from: ELFFile(path: file))?.effects.map(\.name).sorted() ?? []
        } catch {
            if [.fileMissing, .fileIsDirectory, .fileUnreadable, .fileIsSpecial].contains(error.code) {
                ErrorOutput.show(Diagnostic(.error, error.code, error.message, help: error.help))
                throw ExitStatus.unreadable
            }
            // Which rule that breaks is told below.
        }
        for name in effect where !names.contains(name) {
            let closest = Suggestion.closest(to: name, among: names)
            let help = closest.map { ["did you mean `\($0)`?"] } ?? []
            ErrorOutput.show(Diagnostic(.error, .usage, "`\(file)` has no effect `\(name)`", help: help))
            throw ExitStatus.usage
        }
        let chosen = effect.isEmpty ? (call ? names : []) : names.filter(effect.contains)
        return chosen.isEmpty ? [nil] : chosen
    }
}

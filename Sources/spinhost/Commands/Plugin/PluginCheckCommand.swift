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
        abstract: "Try every rule for plugins on a plugin, each in a separate process.",
        discussion: """
            Only with `--call` or `--effect` are effects called: with random arguments of the right types, and with all \
            their side effects.
            """)

    @Argument(help: "The library: a path, or `spin:NAME`.", completion: .file())
    var file: String

    @Flag(help: "Call the effects, with arguments made from the seed.")
    var call = false

    @Option(help: ArgumentHelp("Call only this effect; may be repeated.", valueName: "name"))
    var effect: [String] = []

    @Option(
        help: ArgumentHelp(
            "The seed for the arguments of calls; the same seed makes the same calls.", valueName: "number"))
    var seed: UInt64?

    @Option(help: ArgumentHelp("The time limit of a rule, in seconds.", valueName: "seconds"))
    var timeout = 20

    @Flag(help: "Print only the rules that do not hold.")
    var onlyFailed = false

    @OptionGroup var outputOptions: OutputOptions
    @OptionGroup(visibility: .hidden) var noManifest: NoManifestOptions

    func validate() throws {
        guard (1...3600).contains(timeout) else {
            throw ValidationError("`--timeout` must be 1 to 3600 seconds")
        }
    }

    func run() throws {
        let output = try CommandOutput()
        let path = try path()
        let effects = try effects(of: path)
        // Small, so that a user can type it.
        let seed = seed ?? UInt64.random(in: 1..<1 << 32)
        guard let program = InstalledPackage.program else {
            ErrorOutput.line("error: the path of this program is unknown, so it cannot start itself")
            throw ExitStatus.unexpected
        }
        let process = TrialProcess(program: program, limit: .seconds(timeout))
        let report: RuleReport = try ProgressLine.show("checking \(file)", if: !outputOptions.json) {
            try self.report(process, path, seed, effects, output, $0)
        }
        if !outputOptions.json { try output.line(report.summary) }
        if report.hasFailed { throw ExitStatus.no }
    }

    /// Tries all rules, and prints their outcomes.
    private func report(
        _ process: TrialProcess, _ path: String, _ seed: UInt64, _ effects: [String?],
        _ output: CommandOutput, _ progress: ProgressLine?
    ) throws -> RuleReport {
        let mayCall = call || !effect.isEmpty
        var report = RuleReport(seed: seed)
        var loads = true
        // Effects whose calls do not return. Their other rules cannot be tried.
        var lost: Set<String?> = []
        for (index, rule) in CheckRule.allCases.enumerated() {
            for member in rule.stage == .calls ? effects : [nil] {
                let subject = rule.rawValue + (member.map { " of \($0)" } ?? "")
                progress?.report("trying \(subject)", done: index + 1, of: CheckRule.allCases.count)
                let outcome =
                    if rule.stage == .calls, member == nil {
                        RuleOutcome.skipped(
                            mayCall ? "it has no effects" : "the rule calls effects: add `--call`")
                    } else if rule.stage != .file, !loads {
                        RuleOutcome.skipped("it breaks `\(CheckRule.loads.rawValue)`")
                    } else if rule.stage == .life, !mayCall {
                        RuleOutcome.skipped("the rule starts an instance: add `--call`")
                    } else if lost.contains(member) {
                        RuleOutcome.skipped("its calls break `\(CheckRule.callsReturn.rawValue)`")
                    } else { try outcome(of: rule, path, member, seed, process) }
                if rule == .loads { loads = outcome.status == .passed }
                if rule == .callsReturn, outcome.status == .failed { lost.insert(member) }
                report.count(outcome)
                guard !onlyFailed || outcome.status == .failed else { continue }
                try output.line(
                    outputOptions.json
                        ? report.json(rule, member, outcome).json : report.line(rule, member, outcome))
            }
        }
        return report
    }

    /// Tries a rule in a separate process.
    private func outcome(
        of rule: CheckRule, _ path: String, _ effect: String?, _ seed: UInt64, _ process: TrialProcess
    ) throws -> RuleOutcome {
        do { return try process.outcome(of: rule, path: path, effect: effect, seed: seed) } catch {
            ErrorOutput.show(error.reason, help: [])
            throw ExitStatus.unexpected
        }
    }

    /// The path of the library.
    ///
    /// - Throws: an exit code if no plugin of that name comes with the host, after it has printed the reason.
    private func path() throws -> String {
        do { return try IncludedPlugin.path(of: file) ?? file } catch {
            ErrorOutput.show(Diagnostic(.error, error.code, error.message, help: error.help))
            throw ExitStatus.unreadable
        }
    }

    /// The names of the effects to call; `[nil]` if no effect may be called.
    ///
    /// - Throws: an exit code if the file or an effect does not exist, after it has printed the reason.
    private func effects(of path: String) throws -> [String?] {
        var names: [String] = []
        do {
            names = try PluginDescription.read(from: ELFFile(path: path))?.effects.map(\.name).sorted() ?? []
        } catch {
            if [.fileMissing, .fileIsDirectory, .fileUnreadable, .fileIsSpecial].contains(error.code) {
                ErrorOutput.show(Diagnostic(.error, error.code, error.message, help: error.help))
                throw ExitStatus.unreadable
            }
            // For any other error, the rules below report which of them the file breaks.
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

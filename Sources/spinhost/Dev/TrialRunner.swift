import App
import Diagnostics
import HostLoop
import Isolation
import PluginCheck
import PluginHost
import Records

/// Tries versions of plugins for the apps of one command, each in a process of its own. May be used from any thread.
///
/// A version that has passed is not tried again with the same settings, so that only its first start takes longer.
final class TrialRunner: Sendable {
    private struct Version: Hashable {
        let hash: String
        let config: Record?
    }

    /// A runner, which is made before any plugin is loaded.
    init() { _ = ProcessEnvironment.atStart }

    /// How long loading, making, restoring and freeing may take.
    private static let limit = Duration.seconds(5)

    private let passed = Lock<Set<Version>>([])

    private static func outcome(of trial: SwapTrial) throws(TrialProcess.Failure) -> RuleOutcome {
        guard let program = InstalledPackage.program else {
            throw TrialProcess.Failure("this program is not where it was")
        }
        return try TrialProcess(program: program, limit: limit).outcome(
            of: LibraryTrial(
                trial.library, config: trial.config?.value, states: trial.states, isFirst: trial.isFirst),
            named: trial.plugin)
    }

    /// Tries a version, and waits for the outcome.
    func verdict(of trial: SwapTrial) -> SwapTrial.Verdict {
        let version = Version(hash: trial.library.hash, config: trial.config)
        // Each trial with states has other states.
        if trial.states.isEmpty, passed.withLock({ $0.contains(version) }) { return .passed }
        let name = trial.isFirst ? "the library" : "the new version"
        let outcome: RuleOutcome
        do throws(TrialProcess.Failure) { outcome = try Self.outcome(of: trial) } catch {
            return .failed(
                Diagnostic(
                    .error, .notTried, "\(name) cannot be tried: \(error.reason)", at: trial.place))
        }
        if outcome.status == .passed { passed.withLock { _ = $0.insert(version) } }
        guard outcome.status == .failed else { return .passed }
        return .refused(
            Diagnostic(
                .error, .failedTrial,
                "tried in a process of its own, \(name) fails: \(outcome.message)", at: trial.place,
                help: trial.isFirst
                    ? [] : ["the version that runs continues; the host tries the next change of the file"]))
    }
}

extension DiagnosticCode {
    /// P087: a library crashes, hangs or fails when it is tried before a swap, or before an app of `dev` starts.
    static let failedTrial = DiagnosticCode("P087")
    /// P088: the host cannot start the process that tries a library.
    static let notTried = DiagnosticCode("P088")
}

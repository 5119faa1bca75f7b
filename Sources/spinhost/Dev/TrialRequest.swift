import App
import Diagnostics
import PluginCheck
import PluginHost
import Records

/// Has a new version of a plugin tried in a process of its own before it is swapped in.
struct TrialRequest {
    /// How long loading, making, restoring and freeing may take, in seconds.
    static let limit = 5

    /// What comes of it.
    @Sendable static func verdict(of trial: SwapTrial) -> SwapTrial.Verdict {
        guard let program = InstalledPackage.program else { return .passed }
        let outcome: RuleOutcome
        do {
            outcome = try TrialProcess(program: program, limit: limit)
                .outcome(of: ["plugin", "try"], input: text(trial), named: trial.plugin)
        } catch {
            return .failed(
                Diagnostic(.error, .notTried, "the new version cannot be tried: \(error.reason)"))
        }
        guard outcome.status == .failed else { return .passed }
        return .refused(
            Diagnostic(
                .error, .failedTrial,
                "tried in a process of its own, the new version fails: \(outcome.message)",
                help: ["what ran before is called on; the next change of the file is tried again"]))
    }

    /// What the process reads. Settings may be secret, so they do not stand among its arguments.
    private static func text(_ trial: SwapTrial) -> String {
        var fields: [(String, Value)] = [
            ("original", .string(trial.library.original)), ("copy", .string(trial.library.path)),
            ("hash", .string(trial.library.hash)),
        ]
        if let config = trial.config { fields.append(("config", config.value)) }
        if let state = trial.state { fields.append(("state", .list(state.framed.map { .int(Int64($0)) }))) }
        return Value.record(fields).json
    }

    /// What `text` wrote.
    ///
    /// - Throws: for anything else.
    static func trial(_ text: String) throws -> LibraryTrial {
        struct Malformed: Error {}
        let value = try Value(json: text)
        guard case .string(let original)? = value["original"], case .string(let copy)? = value["copy"],
            case .string(let hash)? = value["hash"]
        else { throw Malformed() }
        var state: SavedState?
        if case .list(let numbers)? = value["state"] {
            let bytes = numbers.map { number in
                if case .int(let number) = number { UInt8(truncatingIfNeeded: number) } else { UInt8(0) }
            }
            state = try SavedState(framed: bytes)
        }
        return LibraryTrial(
            StagedLibrary(original: original, path: copy, hash: hash), config: value["config"], state: state)
    }
}

extension DiagnosticCode {
    /// P087: a new version of a plugin crashes, hangs or fails when it is tried before a swap.
    static let failedTrial = DiagnosticCode("P087")
    /// P088: a new version of a plugin cannot be tried, as there is no process for that.
    static let notTried = DiagnosticCode("P088")
}

import App
import Diagnostics
import FoundationEssentials
import PluginCheck
import PluginHost
import Records

/// Has a new version of a plugin tried in a process of its own before it is swapped in.
struct TrialRequest {
    /// How long loading, making, restoring and freeing may take, in seconds; the process counts it for itself.
    static let limit = 5
    /// How long a busy machine may take before that, in seconds.
    private static let patience = 30

    /// What comes of it.
    @Sendable static func verdict(of trial: SwapTrial) -> SwapTrial.Verdict {
        let outcome: RuleOutcome
        do throws(TrialProcess.Failure) {
            guard let program = InstalledPackage.program else {
                throw TrialProcess.Failure(reason: "this program is not where it was")
            }
            let files = try write(trial.states, beside: trial.library)
            defer { for file in files { try? FileManager.default.removeItem(atPath: file) } }
            outcome = try TrialProcess(program: program, limit: limit, patience: patience)
                .outcome(
                    of: ["plugin", "try"], input: text(trial, files), named: trial.plugin, inGroup: true)
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

    /// Writes states to files beside the copy of a library, each in its frame; their paths.
    private static func write(
        _ states: [SavedState], beside library: StagedLibrary
    ) throws(TrialProcess.Failure) -> [String] {
        var paths: [String] = []
        for (index, state) in states.enumerated() {
            let path = "\(library.path).state-\(index)"
            paths.append(path)
            guard FileManager.default.createFile(atPath: path, contents: Data(state.framed)) else {
                for path in paths { try? FileManager.default.removeItem(atPath: path) }
                throw TrialProcess.Failure(reason: "`\(path)` cannot be written")
            }
        }
        return paths
    }

    /// What the process reads. Settings may be secret, so they do not stand among its arguments.
    private static func text(_ trial: SwapTrial, _ states: [String]) -> String {
        var fields: [(String, Value)] = [
            ("original", .string(trial.library.original)), ("copy", .string(trial.library.path)),
            ("hash", .string(trial.library.hash)),
            ("libraries", .list(trial.library.libraryPaths.map(Value.string))),
            ("states", .list(states.map(Value.string))),
        ]
        if let config = trial.config { fields.append(("config", config.value)) }
        return Value.record(fields).json
    }

    /// What `text` wrote.
    ///
    /// - Throws: for anything else.
    static func trial(_ text: String) throws -> LibraryTrial {
        struct Malformed: Error {}
        let value = try Value(json: text)
        guard case .string(let original)? = value["original"], case .string(let copy)? = value["copy"],
            case .string(let hash)? = value["hash"], case .list(let paths)? = value["states"],
            case .list(let libraries)? = value["libraries"]
        else { throw Malformed() }
        let states = try paths.map { path in
            guard case .string(let path) = path, let bytes = FileManager.default.contents(atPath: path) else {
                throw Malformed()
            }
            return try SavedState(framed: Array(bytes))
        }
        return LibraryTrial(
            StagedLibrary(
                original: original, path: copy, hash: hash,
                libraryPaths: try libraries.map { library in
                    guard case .string(let path) = library else { throw Malformed() }
                    return path
                }), config: value["config"],
            states: states)
    }
}

extension DiagnosticCode {
    /// P087: a new version of a plugin crashes, hangs or fails when it is tried before a swap.
    static let failedTrial = DiagnosticCode("P087")
    /// P088: the host cannot start the process that tries a new version of a plugin.
    static let notTried = DiagnosticCode("P088")
}

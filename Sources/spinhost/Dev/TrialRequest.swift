import App
import FoundationEssentials
import PluginCheck
import PluginHost
import Records

/// The request to the process that tries a version of a plugin.
enum TrialRequest {
    /// How long loading, making, restoring and freeing may take, in seconds; the process counts it for itself.
    static let limit = 5
    /// How long a busy machine may take before that, in seconds.
    private static let patience = 30

    /// Runs the process, and waits for its outcome.
    ///
    /// - Throws: when it cannot be run.
    static func outcome(of trial: SwapTrial) throws(TrialProcess.Failure) -> RuleOutcome {
        guard let program = InstalledPackage.program else {
            throw TrialProcess.Failure(reason: "this program is not where it was")
        }
        let files = try write(trial.states, beside: trial.library)
        defer { for file in files { try? FileManager.default.removeItem(atPath: file) } }
        return try TrialProcess(program: program, limit: limit, patience: patience)
            .outcome(of: ["plugin", "try"], input: text(trial, files), named: trial.plugin, inGroup: true)
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

    /// The text that the process reads. Settings may be secret, so they do not stand among its arguments.
    private static func text(_ trial: SwapTrial, _ states: [String]) -> String {
        var fields: [(String, Value)] = [
            ("original", .string(trial.library.original)), ("copy", .string(trial.library.path)),
            ("hash", .string(trial.library.hash)),
            ("libraries", .list(trial.library.libraryPaths.map(Value.string))),
            ("states", .list(states.map(Value.string))), ("first", .bool(trial.isFirst)),
        ]
        if let config = trial.config { fields.append(("config", config.value)) }
        return Value.record(fields).json
    }

    /// Reads the text of a request.
    ///
    /// - Throws: for anything else.
    static func trial(_ text: String) throws -> LibraryTrial {
        struct Malformed: Error {}
        let value = try Value(json: text)
        guard case .string(let original)? = value["original"], case .string(let copy)? = value["copy"],
            case .string(let hash)? = value["hash"], case .list(let paths)? = value["states"],
            case .list(let libraries)? = value["libraries"], case .bool(let isFirst)? = value["first"]
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
            states: states, isFirst: isFirst)
    }
}

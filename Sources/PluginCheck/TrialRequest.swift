import Isolation
import PluginHost
import Records

/// What a process is to try.
enum TrialRequest {
    /// A rule, on the library at a path.
    case rule(CheckRule, path: String, effect: String?, seed: UInt64)
    case library(LibraryTrial)

    /// The request as bytes. Settings can be secret: they go by no file and no argument.
    var bytes: [UInt8] {
        let writer = ByteWriter()
        switch self {
        case .rule(let rule, let path, let effect, let seed):
            for text in ["rule", rule.rawValue, path] { writer.put(text) }
            writer.put(optional: effect)
            writer.put(seed)
        case .library(let trial):
            writer.put("library")
            trial.write(to: writer)
        }
        return writer.bytes
    }

    /// Reads a request.
    init(_ bytes: [UInt8]) throws(DamagedBytes) {
        self = try ByteReader.read(bytes) { reader throws(DamagedBytes) in
            guard try reader.text() == "rule" else { return .library(try LibraryTrial(&reader)) }
            let (name, path) = (try reader.text(), try reader.text())
            guard let rule = CheckRule(rawValue: name) else { throw DamagedBytes("an unknown rule") }
            return .rule(
                rule, path: path, effect: try reader.optionalText(), seed: try reader.number())
        }
    }

    /// Tries it in this process, which a crash of the plugin ends.
    ///
    /// - Parameter progress: called before each call of the plugin, with words for it.
    /// - Throws: if there is no folder for copies of the library.
    func outcome(progress: @escaping (String) -> Void) throws(PluginError) -> RuleOutcome {
        switch self {
        case .rule(let rule, let path, let effect, let seed):
            try PluginTrial(path: path, seed: seed, progress: progress).outcome(of: rule, effect: effect)
        case .library(let trial): trial.outcome(progress: progress)
        }
    }
}

import Glibc
import Interfaces
import PluginHost

/// Tries one rule on a plugin in this process, which a crash of the plugin ends.
struct PluginTrial {
    private let path: String
    private let seed: UInt64
    private let progress: (String) -> Void

    /// A trial of a plugin.
    ///
    /// - Parameters:
    ///   - path: the library's file.
    ///   - seed: the seed for the arguments of calls. The same seed makes the same calls.
    ///   - progress: called with the text of each call before it is made.
    init(path: String, seed: UInt64, progress: @escaping (String) -> Void) {
        (self.path, self.seed, self.progress) = (path, seed, progress)
    }

    /// Tries the rule.
    ///
    /// - Parameter effect: the effect to call, for rules of `Stage.calls` only.
    /// - Throws: if there is no folder for copies of the library.
    func outcome(of rule: CheckRule, effect: String?) throws(PluginError) -> RuleOutcome {
        let host = try TrialHost()
        defer { host.close() }
        switch rule.stage {
        case .file: return FileTrial(path: path).outcome(of: rule)
        case .loading: return LoadTrial(host: host, path: path).outcome(of: rule)
        case .instances, .life: return InstanceTrial(host: host, path: path, seed: seed).outcome(of: rule)
        case .calls: break
        }
        do throws(PluginError) {
            let image = try host.open(path)
            guard let effect = effect.flatMap({ image.description?.effect($0) }) else {
                return .skipped("the plugin has no such effect")
            }
            let trial = try CallTrial(effect, of: image, in: host, seed: seed, progress: progress)
            // Files that the plugin creates by relative paths are removed with the folder.
            // Safe because the path is a NUL-terminated copy for the call.
            _ = unsafe chdir(host.folder)
            return trial.outcome(of: rule)
        } catch { return .skipped(error.message) }
    }
}

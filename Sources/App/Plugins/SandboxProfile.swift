import Glibc
import HostLoop
public import Manifest
import Sandbox

/// What plugins with `isolation = "process"` do that their rules refuse, while nothing is refused to them. May be used
/// from any thread.
public final class SandboxProfile: Sendable {
    private struct Findings {
        var read = PathSet()
        var write = PathSet()
        var exec = PathSet()
        var ports: Set<UInt16> = []
        var unixSockets = false
        var children = 0
        var beyond: Set<String> = []

        mutating func connect(to address: String) {
            switch SandboxPolicy.Peer(address) {
            case .tcp(let port)?: ports.insert(port)
            case .unix?: unixSockets = true
            // The socket was made, and no address given yet.
            case nil where address == "tcp": break
            case nil where address.hasPrefix("unix:") && !address.hasPrefix("unix:@"): unixSockets = true
            case nil: beyond.insert("connecting to `\(address)`")
            }
        }
    }

    private let plugins: Set<String>
    /// By the name of the worker.
    private let found = Lock<[String: Findings]>([:])

    /// A profile of these plugins of a manifest; of all that have a sandbox if it is empty.
    public init(of plugins: Set<String>) { self.plugins = plugins }

    /// Whether nothing is refused to a plugin.
    public func covers(_ plugin: PluginModel) -> Bool {
        plugin.sandbox != nil && (plugins.isEmpty || plugins.contains(plugin.name))
    }

    func add(_ access: Access, of worker: String) {
        guard !access.isAllowed else { return }
        found.withLock { found in
            switch access.kind {
            case .read: found[worker, default: Findings()].read.insert(access.rulePath)
            case .write: found[worker, default: Findings()].write.insert(access.rulePath)
            case .execute: found[worker, default: Findings()].exec.insert(access.rulePath)
            case .child: found[worker, default: Findings()].children += 1
            case .connect: found[worker, default: Findings()].connect(to: access.path)
            case .call: found[worker, default: Findings()].beyond.insert("the system call `\(access.path)`")
            }
        }
    }

    /// The rules that would allow a plugin what it has done so far, besides what it may do already.
    ///
    /// Paths that are not there now are left out: a worker does not start with them.
    ///
    /// - Returns: the rules, and what no rule allows, in words; nil for a plugin without a sandbox.
    public func rules(for plugin: PluginModel) -> (rules: SandboxModel, beyond: [String])? {
        guard let rules = plugin.sandbox else { return nil }
        let found = found.withLock { $0[rules.share ?? plugin.name] } ?? Findings()
        let allowing = rules.allowing(
            read: found.read.present, write: found.write.present, exec: found.exec.present,
            ports: found.ports, unixSockets: found.unixSockets,
            processes: min(found.children, SandboxModel.processCounts.upperBound))
        return (allowing, found.beyond.sorted())
    }
}

/// Paths in which a folder stands for all that is below it.
private struct PathSet {
    private var paths: Set<String> = []
    /// By their folder.
    private var counts: [String: Int] = [:]

    /// So many files of one folder stand apart. Of more, the folder stands for them.
    private static let most = 8

    mutating func insert(_ path: String) {
        var above = path
        while !above.isEmpty {
            if paths.contains(above) { return }
            above = Self.folder(of: above)
        }
        paths.formUnion([path])
        for other in paths where other.hasPrefix(path + "/") { remove(other) }
        let folder = Self.folder(of: path)
        counts[folder, default: 0] += 1
        // A folder such as `/etc` has files for many programs.
        if counts[folder, default: 0] > Self.most, !Self.folder(of: folder).isEmpty { insert(folder) }
    }

    private mutating func remove(_ path: String) {
        paths.remove(path)
        counts[Self.folder(of: path), default: 1] -= 1
    }

    /// Those that are there.
    var present: Set<String> {
        // Safe because the path is borrowed for the call.
        paths.filter { unsafe access($0, F_OK) == 0 }
    }

    /// The folder that has a file; empty for one at the top.
    private static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
    }
}

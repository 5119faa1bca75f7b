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
        var listensAt: Set<UInt16> = []
        var children = 0
        var beyond: Set<String> = []

        mutating func connect(to address: String) {
            switch SandboxPolicy.Peer(address) {
            case .tcp(let port)?: ports.insert(port)
            // A socket was made, and no address given yet.
            case .unix?: break
            case nil where address == "tcp": break
            case nil where address.hasPrefix("unix:") && !address.hasPrefix("unix:@"):
                let path = String(address.dropFirst(5))
                if !path.hasPrefix("/") || PathSet.isThere(path) { unixSockets = true }
            case nil: beyond.insert("connecting to `\(address)`")
            }
        }

        mutating func listen(at address: String) {
            if let port = SandboxPolicy.port(address) {
                listensAt.insert(port)
            } else {
                beyond.insert("listening at `\(address)`")
            }
        }
    }

    private let plugins: Set<String>
    /// By the worker, as `key` has it. Workers that were not started have none.
    private let found = Lock<[String: Findings]>([:])

    /// A profile of plugins that have a sandbox, and of those that share a worker with one of them.
    ///
    /// - Parameter names: the plugins; empty: all.
    public init(of names: Set<String>, in plugins: [PluginModel]) {
        let isolated = plugins.filter { $0.sandbox != nil && (names.isEmpty || names.contains($0.name)) }
        let keys = Set(isolated.map(Self.key))
        self.plugins = Set(
            plugins.filter { $0.sandbox != nil && keys.contains(Self.key(of: $0)) }.map(\.name))
    }

    /// Names the worker of a plugin.
    private static func key(of plugin: PluginModel) -> String {
        plugin.sandbox?.share.map { "share \($0)" } ?? "plugin \(plugin.name)"
    }

    /// A worker is about to be started for a plugin.
    ///
    /// - Returns: what hears of all its accesses; nil if the rules of the manifest count for it.
    func begin(_ plugin: PluginModel) -> (@Sendable (Access) -> Void)? {
        guard plugins.contains(plugin.name) else { return nil }
        let key = Self.key(of: plugin)
        found.withLock { $0[key] = $0[key] ?? Findings() }
        return { [self] in add($0, of: key) }
    }

    private func add(_ access: Access, of key: String) {
        guard !access.isAllowed else { return }
        found.withLock { found in
            var new = found.removeValue(forKey: key) ?? Findings()
            defer { found[key] = new }
            switch access.kind {
            case .read where access.rulePath == "/": new.beyond.insert("reading `\(access.path)`")
            case .write where access.rulePath == "/": new.beyond.insert("writing `\(access.path)`")
            case .read: new.read.insert(access.rulePath)
            case .write: new.write.insert(access.rulePath)
            case .execute: new.exec.insert(access.rulePath)
            case .child: new.children += 1
            case .connect: new.connect(to: access.path)
            case .listen: new.listen(at: access.path)
            case .call: new.beyond.insert("the system call `\(access.path)`")
            }
        }
    }

    /// The rules that would allow a plugin what it has done so far, besides what it may do already.
    ///
    /// Paths that are not there now are left out: a worker does not start with them. The whole file system is never
    /// allowed.
    ///
    /// - Returns: the rules, and what no rule allows, in words; nil for a plugin whose worker was not started.
    public func rules(for plugin: PluginModel) -> (rules: SandboxModel, beyond: [String])? {
        guard let rules = plugin.sandbox, let found = found.withLock({ $0[Self.key(of: plugin)] }) else {
            return nil
        }
        let allowing = rules.allowing(
            read: found.read.present, write: found.write.present, exec: found.exec.present,
            ports: found.ports, unixSockets: found.unixSockets, listensAt: found.listensAt,
            processes: min(found.children, SandboxModel.processCounts.upperBound))
        return (allowing, found.beyond.sorted())
    }
}

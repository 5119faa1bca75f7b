import App
import HostLoop
import Manifest
import Records

/// What a plugin of a manifest may do.
struct SandboxReport {
    private let plugin: PluginModel
    private let rules: SandboxModel?
    /// What no rule allows, in words.
    private let beyond: [String]
    /// Whether it is about what the plugin needs, and not about what it may do.
    private let isOfNeeds: Bool

    /// What the manifest says of the plugin.
    init(_ plugin: PluginModel) {
        (self.plugin, rules, beyond, isOfNeeds) = (plugin, plugin.sandbox, [], false)
    }

    /// What the plugin needs, without the keys that say how much it may use.
    init(_ plugin: PluginModel, needs rules: SandboxModel, beyond: [String]) {
        (self.plugin, self.rules, self.beyond, isOfNeeds) = (plugin, rules, beyond, true)
    }

    /// Each key of `sandbox` with its value as TOML, and whether the manifest can leave it out.
    private func keys(_ rules: SandboxModel) -> [(key: String, value: Value, isDefault: Bool)] {
        let usual = SandboxModel()
        func texts(_ list: [String]) -> Value { .list(list.map(Value.string)) }
        func time(_ duration: Duration) -> Value {
            .string(TimeText.duration(nanoseconds: duration.nanoseconds))
        }
        let peers = rules.ports.map { "tcp:\($0)" } + (rules.connectsToUnixSockets ? ["unix"] : [])
        let restart = rules.restart
        var keys: [(String, Value, Bool)] = [
            ("read", texts(rules.read), rules.read.isEmpty),
            ("write", texts(rules.write), rules.write.isEmpty),
            ("exec", texts(rules.exec), rules.exec.isEmpty),
            ("connect", texts(peers), peers.isEmpty),
            ("listen", texts(rules.listensAt.map { "tcp:\($0)" }), rules.listensAt.isEmpty),
            (
                "env", .record(rules.env.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) }),
                rules.env.isEmpty
            ),
        ]
        if let memory = rules.memory { keys.append(("memory", .string(SizeText.text(memory)), false)) }
        if let cpu = rules.cpu { keys.append(("cpu", time(cpu), false)) }
        keys += [
            ("files", .int(Int64(rules.files)), rules.files == usual.files),
            ("processes", .int(Int64(rules.processes)), rules.processes == usual.processes),
            ("cancel-grace", time(rules.cancelGrace), rules.cancelGrace == usual.cancelGrace),
        ]
        if let share = rules.share { keys.append(("share", .string(share), false)) }
        keys.append(
            (
                "restart",
                .record([
                    ("backoff", .list([time(restart.firstBackoff), time(restart.longestBackoff)])),
                    ("limit", .int(Int64(restart.limit))), ("within", time(restart.within)),
                ]), restart == usual.restart
            ))
        let needs = ["read", "write", "exec", "connect", "listen", "processes"]
        return isOfNeeds ? keys.filter { needs.contains($0.0) && !$0.2 } : keys
    }

    /// The table of the manifest, in its canonical form.
    var lines: [String] {
        guard let rules else {
            return [
                "# \(plugin.name): `isolation = \"\(plugin.isolation)\"`, so it may do what the host may do"
            ]
        }
        var lines = ["[plugins.\(TOMLText.key(plugin.name)).sandbox]"]
        for (key, value, _) in keys(rules) {
            lines.append("\(key) = \(Self.text(value))")
        }
        lines += beyond.map { "# It needs what no rule allows: \($0)" }
        lines += App.missingRules(of: plugin).map { "# The kernel cannot keep a rule: \($0)" }
        return Self.formatted(lines)
    }

    /// The same lines as `fmt` has them, ready to be pasted into a manifest.
    private static func formatted(_ lines: [String]) -> [String] {
        let text = try? ManifestFormatter.formatted(lines.joined(separator: "\n"), name: "sandbox")
        // Otherwise they are right, too, and only their form is not.
        return text.map { $0.split(separator: "\n").map(String.init) } ?? lines
    }

    /// The record for programs. Values are as in the manifest.
    var value: Value {
        .record([
            ("plugin", .string(plugin.name)), ("isolation", .string("\(plugin.isolation)")),
            ("sandbox", rules.map { .record(keys($0).map { ($0.key, $0.value) }) } ?? .null),
            ("beyond", .list(beyond.map(Value.string))),
            ("missing", .list(App.missingRules(of: plugin).map(Value.string))),
        ])
    }

    private static func key(_ key: Value) -> String {
        if case .string(let name) = key { TOMLText.key(name) } else { text(key) }
    }

    private static func text(_ value: Value) -> String {
        switch value {
        case .list(let values): "[\(values.map(text).joined(separator: ", "))]"
        case .map(let entries) where !entries.isEmpty:
            "{ \(entries.map { "\(key($0.key)) = \(text($0.value))" }.joined(separator: ", ")) }"
        case .string(let text): TOMLText.string(text)
        default: value.json
        }
    }
}

/// Names for types within one diagram: short ones, made distinct where two types share theirs.
struct TypeLabels {
    private let labels: [ObjectIdentifier: String]

    init(_ types: [any Any.Type]) {
        var seen: Set<ObjectIdentifier> = []
        let types = types.filter { seen.insert(ObjectIdentifier($0)).inserted }
        let short = Dictionary(grouping: types) { String(describing: $0) }
        var used: [String: Int] = [:]
        var labels: [ObjectIdentifier: String] = [:]
        for type in types {
            let name = String(describing: type)
            var label = short[name]?.count == 1 ? name : Self.qualified(type)
            let count = used[label, default: 0] + 1
            used[label] = count
            if count > 1 { label += " (\(count))" }
            labels[ObjectIdentifier(type)] = label
        }
        self.labels = labels
    }

    subscript(type: any Any.Type) -> String {
        labels[ObjectIdentifier(type)] ?? String(describing: type)
    }

    /// The full name, without the addresses that stand in for private scopes: they differ from run to run.
    private static func qualified(_ type: any Any.Type) -> String {
        String(reflecting: type).split(separator: ".").filter { !$0.hasPrefix("(unknown context at ") }
            .joined(separator: ".")
    }
}

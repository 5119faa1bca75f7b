extension RandomMachine {
    /// The machine as a manifest, before its first event.
    var manifest: String {
        var lines = ["[loops.main]", "initial = \"c\(state.index)\"", "shared = \(Self.table(shared))"]
        lines.append(
            "states = {\(cases.enumerated().map { "c\($0) = \(Self.table($1))" }.joined(separator: ", "))}")
        let names = events.indices.map { "e\($0)" }
        lines.append(
            "events = {\(names.map { "\($0) = { n = \"int\", t = \"string\" }" }.joined(separator: ", "))}")
        lines.append("[loops.main.on]")
        for (name, entries) in zip(names + ["\"*\""], events + [general]) {
            lines.append("\(name) = [\(entries.map(Self.table).joined(separator: ", "))]")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func table(_ fields: [Field]) -> String {
        let texts = fields.map { field in
            let type =
                switch field.type {
                case .int: "int"
                case .small: "i32"
                case .text: "string"
                }
            let range = field.range.map { ", range = [\($0.lowerBound), \($0.upperBound)]" } ?? ""
            return "\(field.name) = { type = \"\(type)\", initial = \(field.initial.json)\(range) }"
        }
        return "{\(texts.joined(separator: ", "))}"
    }

    private static func table(_ entry: Entry) -> String {
        var parts: [String] = []
        if let from = entry.from {
            parts.append("from = [\(from.map { "\"c\($0)\"" }.joined(separator: ", "))]")
        }
        switch entry.condition {
        case nil: break
        case .isEven: parts.append("if = \"event.n % 2 == 0\"")
        case .isIn(let index): parts.append("if = \"state.case == 'c\(index)'\"")
        case .isAbove(let name, let least): parts.append("if = \"state.\(name) > \(least)\"")
        }
        if entry.isIgnored { parts.append("ignore = true") }
        if let to = entry.to { parts.append("to = \"c\(to)\"") }
        if !entry.set.isEmpty {
            let set = entry.set.map { "\($0.name) = \"\(text($0.term))\"" }
            parts.append("set = {\(set.joined(separator: ", "))}")
        }
        return "{\(parts.joined(separator: ", "))}"
    }

    private static func text(_ term: Term) -> String {
        switch term {
        case .value(.int(let number)): "\(number)"
        case .value(.text(let text)): "'\(text)'"
        case .eventNumber: "event.n"
        case .eventText: "event.t"
        case .caseName: "state.case"
        case .sum(let name, let more): "state.\(name) + \(more)"
        case .joined(let name): "state.\(name) + event.t"
        }
    }
}

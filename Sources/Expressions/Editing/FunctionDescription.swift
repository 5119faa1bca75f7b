import Records

/// A function or macro of the expression language, as editors show it.
package struct FunctionDescription: Sendable {
    /// The name without a target: `size`, `math.ceil`.
    package let name: String
    /// Whether it is called on a target: `text.trim()`.
    package let isMethod: Bool
    /// The forms of its calls, with types: `split(string, string) -> list(string)`.
    package let signatures: [String]
    /// What it does, in one line.
    package let doc: String

    // The types that its target may have; empty for a macro.
    private let targets: [ExpressionType]
    private let isForLists: Bool

    /// All of them by name, without operators.
    package static let all: [FunctionDescription] = {
        let functions = Overload.table.filter { key, _ in key != "in" && key.contains { $0.isLetter } }.map {
            key, overloads in FunctionDescription(key, overloads)
        }
        return (functions + macros).sorted { ($0.name, $0.isMethod ? 1 : 0) < ($1.name, $1.isMethod ? 1 : 0) }
    }()

    /// The function or macro of a name; nil for an unknown name.
    package static func named(_ name: String, isMethod: Bool) -> FunctionDescription? {
        all.first { $0.name == name && $0.isMethod == isMethod }
    }

    private init(_ key: String, _ overloads: [Overload]) {
        isMethod = key.hasPrefix(".")
        let (name, isMethod) = (isMethod ? String(key.dropFirst()) : key, isMethod)
        self.name = name
        var signatures: [String] = []
        for overload in overloads {
            let parameters = overload.parameters.dropFirst(isMethod ? 1 : 0).map(\.name)
            let target = isMethod ? overload.parameters.first.map { "\($0.name)." } ?? "" : ""
            let result = overload.result(overload.parameters).name
            let text = "\(target)\(name)(\(parameters.joined(separator: ", "))) -> \(result)"
            if !signatures.contains(text) { signatures.append(text) }
        }
        self.signatures = signatures
        doc = Self.docs[key] ?? ""
        targets = isMethod ? overloads.compactMap(\.parameters.first) : []
        isForLists = false
    }

    private init(macro name: String, _ signatures: [String], isMethod: Bool = true, isForLists: Bool = true) {
        (self.name, self.signatures, self.isMethod) = (name, signatures, isMethod)
        (doc, targets, self.isForLists) = (Self.docs[name] ?? "", [], isForLists)
    }

    /// Whether it can be called on a value of a type.
    func accepts(_ type: ExpressionType) -> Bool {
        let type = type.wrapped
        if targets.contains(where: { $0.accepts(type) }) { return true }
        switch type {
        case .list, .map: return isForLists
        case .optionalValue: return !isForLists && targets.isEmpty
        case .dynamic: return true
        default: return false
        }
    }

    private static let macros = [
        FunctionDescription(macro: "all", ["all(x, condition) -> bool", "all(i, x, condition) -> bool"]),
        FunctionDescription(
            macro: "exists", ["exists(x, condition) -> bool", "exists(i, x, condition) -> bool"]),
        FunctionDescription(
            macro: "exists_one", ["exists_one(x, condition) -> bool", "exists_one(i, x, condition) -> bool"]),
        FunctionDescription(macro: "map", ["map(x, value) -> list", "map(x, condition, value) -> list"]),
        FunctionDescription(macro: "filter", ["filter(x, condition) -> list"]),
        FunctionDescription(macro: "sortBy", ["sortBy(x, value) -> list"]),
        FunctionDescription(
            macro: "transformList",
            ["transformList(i, x, value) -> list", "transformList(i, x, condition, value) -> list"]),
        FunctionDescription(
            macro: "transformMap",
            ["transformMap(k, x, value) -> map", "transformMap(k, x, condition, value) -> map"]),
        FunctionDescription(
            macro: "transformMapEntry",
            ["transformMapEntry(k, x, entries) -> map", "transformMapEntry(k, x, condition, entries) -> map"]),
        FunctionDescription(macro: "optMap", ["optMap(x, value) -> optional"], isForLists: false),
        FunctionDescription(macro: "optFlatMap", ["optFlatMap(x, optional) -> optional"], isForLists: false),
        FunctionDescription(macro: "has", ["has(a.field) -> bool"], isMethod: false),
        FunctionDescription(macro: "cel.bind", ["cel.bind(x, value, result)"], isMethod: false),
    ]
}

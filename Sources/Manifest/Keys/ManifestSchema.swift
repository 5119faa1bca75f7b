public import Records

/// The JSON Schema (2020-12) of manifests, generated from `ManifestTable.allCases`. Editors use it to
/// complete and check.
///
/// It describes the shape of a manifest only: `Manifest.load` checks names, types and expressions. It leaves
/// out keys that this version does not support yet.
public enum ManifestSchema {
    /// The schema as a JSON document.
    public static var document: Value {
        var entries: [(String, Value)] = [
            ("$schema", .string("https://json-schema.org/draft/2020-12/schema")),
            ("title", .string("spinhost manifest")),
        ]
        let root = ManifestTable.root
        entries += object(root)
        let others = ManifestTable.allCases.filter { $0.path != root.path }
        entries.append(("$defs", .record(others.map { (name(of: $0), .record(object($0))) })))
        return .record(entries)
    }

    private static func name(of table: ManifestTable) -> String {
        table.path.split(separator: ".").map { $0 == "*" ? "NAME" : String($0) }.joined(separator: ".")
    }

    /// The table at a path. What stands below `in.CASE` is described where it stands without `in`.
    private static func table(_ path: String) -> ManifestTable? {
        let inCase = ManifestTable.inCase.path
        let plain =
            path == "\(inCase).after"
            ? ManifestTable.delayed.path : path.replacing("\(inCase).", with: "loops.*.")
        return ManifestTable.allCases.first { $0.path == path || $0.path == plain }
    }

    private static func object(_ table: ManifestTable) -> [(String, Value)] {
        func path(_ key: String) -> String { table.path.isEmpty ? key : "\(table.path).\(key)" }
        let fields = table.fields
        var patterns: [(String, Value)] = [("^x-", .bool(true))]
        if let named = table.named {
            let others = table.fields.map(\.name)
            let without = others.isEmpty ? "" : "(?!(?:\(others.joined(separator: "|")))$)"
            patterns.append(("^\(without)\(table.namePattern)$", schema(of: named, at: path("*"))))
        }
        var entries: [(String, Value)] = [
            ("type", .string("object")),
            ("properties", .record(fields.map { ($0.name, schema(of: $0, at: path($0.name))) })),
            ("patternProperties", .record(patterns)),
            ("additionalProperties", .bool(false)),
        ]
        let required = fields.filter(\.isRequired).map { Value.string($0.name) }
        if !required.isEmpty { entries.append(("required", .list(required))) }
        return entries
    }

    private static func schema(of field: ManifestField, at path: String) -> Value {
        var entries: [(String, Value)] = []
        let value = defaultValue(of: field)
        let isSaid = value == nil && !field.defaultValue.isEmpty
        entries.append(
            ("description", .string(isSaid ? "\(field.doc) Default: \(field.defaultValue)." : field.doc)))
        if let value { entries.append(("default", value)) }
        let forms = forms(of: field.form, at: path)
        if forms.count == 1 {
            entries += forms[0]
        } else if !forms.isEmpty {
            entries.append(("anyOf", .list(forms.map(Value.record))))
        }
        return .record(entries)
    }

    /// The shapes of which a value must have one; empty if any value is allowed.
    private static func forms(of form: ManifestField.Form, at path: String) -> [[(String, Value)]] {
        let table = table(path)
        if form.kinds == Set(TOMLNode.Kind.allCases) { return table.map { [reference(to: $0)] } ?? [] }
        return TOMLNode.Kind.allCases.filter(form.kinds.contains).map { kind in
            switch kind {
            case .table: [type(of: kind)] + (table.map { reference(to: $0) } ?? [])
            case .array: [type(of: kind), ("items", .record(elements(of: form, at: path)))]
            case .string where !form.choices.isEmpty: [("enum", .list(form.choices.map(Value.string)))]
            default: [type(of: kind)]
            }
        }
    }

    private static func elements(of form: ManifestField.Form, at path: String) -> [(String, Value)] {
        // Tables in an array have their own path, unless the key also accepts a single table instead of the
        // array.
        let table = table("\(path).*") ?? (form.kinds.contains(.table) ? table(path) : nil)
        if form.elements == [.table], let table { return reference(to: table) }
        if form.elements.count == 1 { return form.elements.map(type) }
        return table.map { reference(to: $0) } ?? []
    }

    private static func reference(to table: ManifestTable) -> [(String, Value)] {
        let reference = ("$ref", Value.string("#/$defs/\(name(of: table))"))
        guard !table.markers.isEmpty else { return [reference] }
        let marked = table.markers.map { Value.record([("required", .list([.string($0)]))]) }
        return [
            ("if", .record([type(of: .table), ("anyOf", .list(marked))])), ("then", .record([reference])),
        ]
    }

    private static func type(of kind: TOMLNode.Kind) -> (String, Value) {
        let name =
            switch kind {
            case .table: "object"
            case .array: "array"
            // JSON has no dates: programs that read TOML as JSON convert them to strings.
            case .string, .date: "string"
            case .integer: "integer"
            case .float: "number"
            case .boolean: "boolean"
            }
        return ("type", .string(name))
    }

    /// The default as a value of the field's own form; nil if the field gives it in words only.
    private static func defaultValue(of field: ManifestField) -> Value? {
        if field.form.choices.contains(field.defaultValue) { return .string(field.defaultValue) }
        guard let value = try? Value(json: field.defaultValue) else { return nil }
        switch value {
        case .bool, .int, .list([]), .map([]): return value
        default: return nil
        }
    }
}

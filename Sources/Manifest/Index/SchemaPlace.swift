/// A place in a manifest as the table of keys describes it: a key, a name that the user chooses, or an element of an
/// array.
package final class SchemaPlace: Sendable {
    /// Its path, with `*` for names that the user chooses and for elements: `loops.*.feedback.*.args.*`. A place below
    /// `in.CASE` has the path that it has without `in`.
    package let path: String
    /// The description of the key; nil for the root and for elements.
    package let field: ManifestField?
    /// The keys of a table in this place; nil if it has none.
    package let table: ManifestTable?
    /// Whether the place is an element of an array of its parent's path.
    package let isElement: Bool

    /// The place of the whole file.
    package static let root = SchemaPlace("", nil)

    private let fixed: [String: SchemaPlace]
    private let named: SchemaPlace?
    private let element: SchemaPlace?

    private static let tables = Dictionary(
        ManifestTable.allCases.map { ($0.path, $0) }, uniquingKeysWith: { first, _ in first })

    private init(_ path: String, _ field: ManifestField?, isElement: Bool = false) {
        let table = Self.tables[path]
        (self.path, self.field, self.table, self.isElement) = (path, field, table, isElement)
        func child(_ key: String, _ field: ManifestField) -> SchemaPlace {
            SchemaPlace(Self.plain(path.isEmpty ? key : "\(path).\(key)"), field)
        }
        fixed = Dictionary(
            uniqueKeysWithValues: (table?.fields ?? []).map { ($0.name, child($0.name, $0)) })
        named = table?.named.map { child("*", $0) }
        let takesArrays = field?.form.kinds.contains(.array) ?? false
        let isOwn = Self.tables["\(path).*"] != nil && table?.named == nil
        element =
            isElement || !takesArrays
            ? nil : SchemaPlace(isOwn || path.hasSuffix(".args") ? "\(path).*" : path, nil, isElement: true)
    }

    /// The path without `in`: a place below `in.CASE` is described there.
    private static func plain(_ path: String) -> String {
        let inCase = ManifestTable.inCase.path
        return path == "\(inCase).after"
            ? ManifestTable.delayed.path : path.replacing("\(inCase).", with: "loops.*.")
    }

    /// The place of a key of a table here; nil for an unknown key.
    package func key(_ name: String) -> SchemaPlace? { fixed[name] ?? (name.hasPrefix("x-") ? nil : named) }

    /// The place of the elements of an array here; nil if the place takes no array.
    package var elements: SchemaPlace? { element }

    /// Whether the value is the name of an effect or of a native reducer: `PLUGIN:FUNCTION`.
    package var isFunction: Bool { path == "loops.*.feedback.*.effect" || path == "loops.*.reducer" }

    /// Whether the keys of a table here are parameters of an effect.
    package var hasParameters: Bool { path == ManifestTable.arguments.path && !isElement }

    /// Whether a string in this place is an expression.
    package var isExpression: Bool {
        if isElement { return path == ManifestTable.argument.path }
        return field?.form.isExpression ?? false
    }
}

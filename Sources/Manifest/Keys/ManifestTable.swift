/// A table of a manifest and the keys it may have.
///
/// `allCases` lists every table; the decoder, the editor schema and the documentation all read that list. In
/// every table, keys that start with `x-` belong to the user.
public struct ManifestTable: Sendable {
    /// Its path in the file, with `*` for names that the user chooses: `loops.*.feedback.*`. Empty for the
    /// file itself.
    public let path: String
    /// Its keys.
    public let fields: [ManifestField]
    /// The description of keys that the user chooses; nil if the table has none.
    public let named: ManifestField?

    /// The names that the user may choose, as a regular expression that both RE2 and ECMAScript understand.
    public let namePattern: String
    /// The keys that tell this table from a plain value, for a key that accepts both. A table without any of
    /// them is a plain value. Empty for a key that accepts only this table.
    public let markers: [String]

    init(
        _ path: String, _ fields: [ManifestField], named: ManifestField? = nil,
        namePattern: String = NameRule.pattern, markers: [String] = []
    ) {
        (self.path, self.fields, self.named) = (path, fields, named)
        (self.namePattern, self.markers) = (namePattern, markers)
        indices = Dictionary(uniqueKeysWithValues: fields.indices.map { (fields[$0].name, $0) })
    }

    private let indices: [String: Int]

    /// The key of that name; nil if the table has no such key.
    public func field(_ name: String) -> ManifestField? { indices[name].map { fields[$0] } }
}

/// A table of a manifest and the keys it may have.
///
/// `allCases` are all there are; decoder, editor schema and documentation read the same ones. Keys that start with `x-`
/// belong to the user in every table.
public struct ManifestTable: Sendable {
    /// Where it stands, with `*` for names that the user chooses: `loops.*.feedback.*`; empty for the file itself.
    public let path: String
    /// Its keys.
    public let fields: [ManifestField]
    /// What the keys that the user chooses stand for; nil when there are none.
    public let named: ManifestField?

    /// Which names a user may choose, as a regular expression that both RE2 and ECMAScript understand.
    public let namePattern: String
    /// Where any value may stand, a table is this one when it has one of these keys, and else a value; empty where
    /// only this table may stand.
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

    /// The key of that name, if there is one.
    public func field(_ name: String) -> ManifestField? { indices[name].map { fields[$0] } }
}

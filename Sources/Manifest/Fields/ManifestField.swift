/// A key of a manifest: what decodes it, what completes it in an editor, and what documents it.
public struct ManifestField: Sendable {
    /// What a value may look like.
    public struct Form: Sendable {
        /// The form in words, with its article: `a string`.
        public let words: String
        let kinds: Set<TOMLNode.Kind>

        init(_ words: String, _ kinds: Set<TOMLNode.Kind>) { (self.words, self.kinds) = (words, kinds) }

        static let string = Form("a string", [.string])
        static let boolean = Form("a boolean", [.boolean])
        static let integer = Form("an integer", [.integer])
        static let table = Form("a table", [.table])
        static let array = Form("an array", [.array])
        static let strings = Form("an array of strings", [.array])
        static let stringOrStrings = Form("a string or an array of strings", [.string, .array])
        static let tableOrTables = Form("a table or an array of tables", [.table, .array])
        static let stringOrTable = Form("a string or a table", [.string, .table])
        static let type = Form("a type, such as `\"int\"` or `{ x = \"f64\" }`", [.string, .table, .array])
        static let condition = Form("a bool expression or a boolean", [.string, .boolean])
        static let value = Form("a value", Set(TOMLNode.Kind.allCases))
    }

    /// The key; empty for the names that a user chooses.
    public let name: String
    /// What its value may look like.
    public let form: Form
    /// What it is for, in one line.
    public let doc: String
    /// What holds when it is not there; empty when there is nothing to say.
    public let defaultValue: String
    /// False for a key that this version refuses as not supported yet.
    public let isSupported: Bool

    init(
        _ name: String, _ form: Form, _ doc: String, default defaultValue: String = "",
        isSupported: Bool = true
    ) {
        (self.name, self.form, self.doc) = (name, form, doc)
        (self.defaultValue, self.isSupported) = (defaultValue, isSupported)
    }

    /// A key that the design has and this version has not.
    static func later(_ name: String, _ form: Form, _ doc: String, default defaultValue: String = "")
        -> ManifestField
    {
        ManifestField(name, form, doc, default: defaultValue, isSupported: false)
    }
}

/// A key of a manifest: what decodes it, what completes it in an editor, and what documents it.
public struct ManifestField: Sendable {
    /// What a value may look like.
    public struct Form: Sendable {
        /// The form in words, with its article: `a string`.
        public let words: String
        /// The words that a text may be; empty when it may be any text.
        public let choices: [String]
        let kinds: Set<TOMLNode.Kind>
        /// What the elements of an array may be.
        let elements: Set<TOMLNode.Kind>

        init(
            _ words: String, _ kinds: Set<TOMLNode.Kind>, of elements: Set<TOMLNode.Kind> = anyKind,
            choices: [String] = []
        ) {
            (self.words, self.kinds, self.elements, self.choices) = (words, kinds, elements, choices)
        }

        private static let anyKind = Set(TOMLNode.Kind.allCases)

        static let string = Form("a string", [.string])
        static let boolean = Form("a boolean", [.boolean])
        static let integer = Form("an integer", [.integer])
        static let table = Form("a table", [.table])
        static let array = Form("an array", [.array])
        static let strings = Form("an array of strings", [.array], of: [.string])
        static let tables = Form("an array of tables", [.array], of: [.table])
        static let stringOrStrings = Form(
            "a string or an array of strings", [.string, .array], of: [.string])
        static let tableOrTables = Form("a table or an array of tables", [.table, .array], of: [.table])
        static let stringOrTable = Form("a string or a table", [.string, .table])
        static let duration = Form("a duration, such as `\"5s\"`", [.string])
        static let type = Form("a type, such as `\"int\"` or `{ x = \"f64\" }`", [.string, .table, .array])
        static let condition = Form("a bool expression or a boolean", [.string, .boolean])
        static let value = Form("a value", anyKind)

        /// One of the words of an enumeration: `TableReader.word(_:as:)` reads it.
        static func word<Word: RawRepresentable<String> & CaseIterable>(_: Word.Type) -> Form {
            Form("a string", [.string], choices: Word.allCases.map(\.rawValue))
        }

        /// One of the words of an enumeration, or a table.
        static func wordOrTable<Word: RawRepresentable<String> & CaseIterable>(_: Word.Type) -> Form {
            Form("a string or a table", [.string, .table], choices: Word.allCases.map(\.rawValue))
        }
    }

    /// The key; empty for the names that a user chooses.
    public let name: String
    /// What its value may look like.
    public let form: Form
    /// What it is for, in one line.
    public let doc: String
    /// What holds when it is not there; empty when there is nothing to say.
    public let defaultValue: String
    /// True for a key that must be there.
    public let isRequired: Bool
    /// False for a key that this version refuses as not supported yet.
    public let isSupported: Bool
    /// What to do instead of a key that is refused; empty when there is nothing to say.
    let instead: String

    init(
        _ name: String, _ form: Form, _ doc: String, default defaultValue: String = "",
        isRequired: Bool = false, isSupported: Bool = true, instead: String = ""
    ) {
        self.instead = instead
        (self.name, self.form, self.doc) = (name, form, doc)
        (self.defaultValue, self.isRequired, self.isSupported) = (defaultValue, isRequired, isSupported)
    }

    /// A key that the design has and this version has not.
    static func later(
        _ name: String, _ form: Form, _ doc: String, default defaultValue: String = "", instead: String = ""
    ) -> ManifestField {
        ManifestField(name, form, doc, default: defaultValue, isSupported: false, instead: instead)
    }
}

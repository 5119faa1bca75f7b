/// A key of a manifest. The decoder, the editor schema and the documentation all read this description.
public struct ManifestField: Sendable {
    /// The shape that a value must have.
    public struct Form: Sendable {
        /// The form in words, with its article: `a string`.
        public let words: String
        /// The allowed words of a string; empty if any string is allowed.
        public let choices: [String]
        /// True if it is a type.
        package var isType: Bool { words == Self.type.words }
        /// True if it may be `true` or `false`.
        package var takesBooleans: Bool { words != Self.value.words && kinds.contains(.boolean) }
        package var takesTables: Bool { kinds.contains(.table) }
        package var takesArraysOfTables: Bool { kinds.contains(.array) && elements == [.table] }
        /// True if a string is an expression.
        package let isExpression: Bool
        let kinds: Set<TOMLNode.Kind>
        /// The allowed kinds of an array's elements.
        let elements: Set<TOMLNode.Kind>

        init(
            _ words: String, _ kinds: Set<TOMLNode.Kind>, of elements: Set<TOMLNode.Kind> = anyKind,
            choices: [String] = [], isExpression: Bool = false
        ) {
            (self.words, self.kinds, self.elements, self.choices) = (words, kinds, elements, choices)
            self.isExpression = isExpression
        }

        private static let anyKind = Set(TOMLNode.Kind.allCases)

        static let string = Form("a string", [.string])
        static let boolean = Form("a boolean", [.boolean])
        static let integer = Form("an integer", [.integer])
        static let table = Form("a table", [.table])
        static let array = Form("an array", [.array])
        static let arrayOrTable = Form("an array or a table", [.table, .array])
        static let strings = Form("an array of strings", [.array], of: [.string])
        static let tables = Form("an array of tables", [.array], of: [.table])
        static let stringOrStrings = Form(
            "a string or an array of strings", [.string, .array], of: [.string])
        static let tableOrTables = Form("a table or an array of tables", [.table, .array], of: [.table])
        static let stringOrTable = Form("a string or a table", [.string, .table])
        static let integerOrString = Form("an integer or a string", [.integer, .string])
        static let integerOrTable = Form("an integer or a table", [.integer, .table])
        static let duration = Form("a duration, such as `\"5s\"`", [.string])
        static let type = Form("a type, such as `\"int\"` or `{ x = \"f64\" }`", [.string, .table, .array])
        static let condition = Form(
            "a bool expression or a boolean", [.string, .boolean], isExpression: true)
        static let value = Form("a value", anyKind)
        static let expression = Form("a value", anyKind, isExpression: true)
        static let expressionText = Form("a string", [.string], isExpression: true)

        /// One of the words of an enumeration: `TableReader.word(_:as:)` reads it.
        static func word<Word: RawRepresentable<String> & CaseIterable>(_: Word.Type) -> Form {
            Form("a string", [.string], choices: Word.allCases.map(\.rawValue))
        }

        /// One of the words of an enumeration, or a table.
        static func wordOrTable<Word: RawRepresentable<String> & CaseIterable>(_: Word.Type) -> Form {
            Form("a string or a table", [.string, .table], choices: Word.allCases.map(\.rawValue))
        }

        /// One of the words of an enumeration, a table, or an array of tables.
        static func wordOrTables<Word: RawRepresentable<String> & CaseIterable>(_: Word.Type) -> Form {
            Form(
                "a string, a table or an array of tables", [.string, .table, .array], of: [.table],
                choices: Word.allCases.map(\.rawValue))
        }
    }

    /// The key; empty for names that the user chooses.
    public let name: String
    /// The shape that its value must have.
    public let form: Form
    /// Its purpose, in one line.
    public let doc: String
    /// Its default, as a value or in words; empty if it has none.
    public let defaultValue: String
    /// True for a key that the table must have.
    public let isRequired: Bool

    init(
        _ name: String, _ form: Form, _ doc: String, default defaultValue: String = "",
        isRequired: Bool = false
    ) {
        (self.name, self.form, self.doc) = (name, form, doc)
        (self.defaultValue, self.isRequired) = (defaultValue, isRequired)
    }
}

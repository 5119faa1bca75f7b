public import Records

/// The description of a setting in its plugin's notes: a member of the plugin's `spin_config`.
public struct SettingDescription: Hashable, Sendable {
    /// The least and greatest value.
    public struct Range: Hashable, Sendable {
        /// The least value. It has the kind of the setting's values: int, uint, double or duration.
        public let least: Value
        /// The greatest value, of the same kind.
        public let greatest: Value

        /// A range that includes both ends.
        public init(least: Value, greatest: Value) { (self.least, self.greatest) = (least, greatest) }
    }

    /// Its name: the key in `config` of a manifest, and the member's name.
    public let name: String
    /// Its type; `string` for a secret.
    public let type: ValueType
    /// True for a `spin_secret`: a manifest must name the source of its value, and nothing shows the value.
    public let isSecret: Bool
    /// Its default; nil if the manifest must give a value.
    public let defaultValue: Value?
    /// The range of its values; nil for all values of its type.
    public let range: Range?
    /// Its documentation; may be empty.
    public let doc: String

    /// Its type in words: `secret`, or the type's name in a manifest.
    public var typeName: String { isSecret ? "secret" : type.name }

    /// Reads the texts of `SPIN_CONFIG` about a member: default, least and greatest value in C, and
    /// documentation.
    ///
    /// - Throws: `Fault`, whose reason follows the setting's name in a message.
    init(
        _ name: String, _ type: ValueType, isSecret: Bool = false, rule: ArraySlice<String>
    ) throws(Fault) {
        func text(_ index: Int) -> String {
            let position = rule.startIndex + index
            return position < rule.endIndex ? rule[position] : ""
        }
        func value(_ text: String) throws(Fault) -> Value {
            guard let value = CLiteral.value(of: text, as: type) else {
                throw Fault(reason: "`\(text)` is not a value of `\(type.name)`")
            }
            // A stored value that is read again has the same kind as the setting's values.
            var record = Record(RecordType([("value", type)]))
            do { try record.set("value", to: value) } catch { throw Fault(reason: error.message) }
            return record["value"] ?? value
        }
        (self.name, self.type, self.isSecret, doc) = (name, type, isSecret, text(3))
        if isSecret, text(0) != Self.required {
            guard text(0).filter({ $0 != " " }) == "{}" else {
                throw Fault(reason: "the default of a secret can only be `SPIN_REQUIRED` or `{}`")
            }
            defaultValue = .string("")
        } else {
            defaultValue = text(0) == Self.required ? nil : try value(text(0))
        }
        guard !text(1).isEmpty else {
            range = nil
            return
        }
        switch type {
        case .integer, .float, .double, .duration: break
        default: throw Fault(reason: "a `\(isSecret ? "secret" : type.name)` cannot have a range")
        }
        let range = Range(least: try value(text(1)), greatest: try value(text(2)))
        guard range.contains(range.least) else {
            throw Fault(reason: "there is no value between `\(text(1))` and `\(text(2))`")
        }
        guard defaultValue.map(range.contains) ?? true else {
            throw Fault(reason: "the default `\(text(0))` is outside its range")
        }
        self.range = range
    }

    /// The text in place of a default, for a setting without one.
    private static let required = "SPIN_REQUIRED"

    /// The reason why a setting is not valid.
    struct Fault: Error {
        let reason: String
    }
}

extension SettingDescription.Range {
    /// Whether a value is within the range; NaN is not.
    public func contains(_ value: Value) -> Bool {
        switch (least, value, greatest) {
        case (.int(let least), .int(let value), .int(let greatest)): least <= value && value <= greatest
        case (.uint(let least), .uint(let value), .uint(let greatest)): least <= value && value <= greatest
        case (.double(let least), .double(let value), .double(let greatest)):
            least <= value && value <= greatest
        case (.duration(let least), .duration(let value), .duration(let greatest)):
            least <= value && value <= greatest
        default: false
        }
    }
}

public import Records

/// A setting of a plugin as it describes it: a member of its `spin_config`.
public struct SettingDescription: Hashable, Sendable {
    /// The least and greatest value.
    public struct Range: Hashable, Sendable {
        /// The least value, of the kind that the setting's values have: int, uint, double or duration.
        public let least: Value
        /// The greatest value, of the same kind.
        public let greatest: Value

        /// A range with both ends in it.
        public init(least: Value, greatest: Value) { (self.least, self.greatest) = (least, greatest) }
    }

    /// What a manifest calls it in `config`; also the member's name.
    public let name: String
    /// Its type.
    public let type: ValueType
    /// What it is when the manifest does not say; nil: the manifest must.
    public let defaultValue: Value?
    /// The values that it may have; nil: all of its type.
    public let range: Range?
    /// What it is for; may be empty.
    public let doc: String

    /// Reads what `SPIN_CONFIG` wrote about a member: default, least and greatest as C has them, and a text.
    ///
    /// - Throws: what is wrong, in words that follow the setting's name.
    init(_ name: String, _ type: ValueType, rule: ArraySlice<String>) throws(Fault) {
        func text(_ index: Int) -> String {
            let position = rule.startIndex + index
            return position < rule.endIndex ? rule[position] : ""
        }
        func value(_ text: String) throws(Fault) -> Value {
            guard let value = CLiteral.value(of: text, as: type) else {
                throw Fault(reason: "`\(text)` is no value of `\(type.name)`")
            }
            // Stored and read again it is of the kind that the setting's values have.
            var record = Record(RecordType([("value", type)]))
            do { try record.set("value", to: value) } catch { throw Fault(reason: error.message) }
            return record["value"] ?? value
        }
        (self.name, self.type, doc) = (name, type, text(3))
        defaultValue = text(0) == Self.required ? nil : try value(text(0))
        guard !text(1).isEmpty else {
            range = nil
            return
        }
        switch type {
        case .integer, .float, .double, .duration: break
        default: throw Fault(reason: "a `\(type.name)` has no range")
        }
        let range = Range(least: try value(text(1)), greatest: try value(text(2)))
        guard range.contains(range.least) else {
            throw Fault(reason: "no value lies between `\(text(1))` and `\(text(2))`")
        }
        guard defaultValue.map(range.contains) ?? true else {
            throw Fault(reason: "the default `\(text(0))` lies outside of its range")
        }
        self.range = range
    }

    /// What stands for a default that there is none of.
    private static let required = "SPIN_REQUIRED"

    /// Why a setting is not what one can be.
    struct Fault: Error {
        let reason: String
    }
}

extension SettingDescription.Range {
    /// Whether a value lies inside; NaN does not.
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

import CForeignCall
import CPluginABI
public import Records

/// The fields of a log line, in order, with different names.
public struct LogFields: Hashable, Sendable, CustomStringConvertible {
    /// A field: its name and its value, a string, an int, a double or a bool.
    public struct Field: Hashable, Sendable {
        /// A letter a to z, then such letters, digits and `_`.
        public let name: String
        /// The value.
        public let value: Value

        /// A field and its value.
        public init(name: String, value: Value) { (self.name, self.value) = (name, value) }
    }

    /// The fields.
    public private(set) var all: [Field] = []

    /// No fields.
    public init() {}

    /// These fields, without those whose name an earlier one has.
    package init(_ fields: [Field]) { for field in fields { _ = append(field) } }

    /// Appends a field; false if there is one of that name.
    mutating func append(_ field: Field) -> Bool {
        guard !all.contains(where: { $0.name == field.name }) else { return false }
        all.append(field)
        return true
    }

    /// As in a text log: `host=example.org port=80 reason="no route"`.
    public var description: String {
        all.map { field in
            let text = if case .string(let text) = field.value { Self.word(text) } else { field.value.json }
            return "\(field.name)=\(text)"
        }.joined(separator: " ")
    }

    /// A text as it is, or as a JSON string if a reader could not tell where it ends.
    private static func word(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy {
            $0 > 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "=") && $0 != 0x7F
        }
        return isPlain && !text.isEmpty ? text : Value.string(text).json
    }

    /// As in a JSON log: an object.
    public var value: Value { .record(all.map { ($0.name, $0.value) }) }
}

extension LogFields {
    /// Copies the fields that a plugin passed, without those that are not valid.
    ///
    /// - Parameter broke: called for each rule that the fields break.
    // Safe because names and texts are copied during the call. The plugin promises that pointers are NULL or
    // valid; those of a guarded plugin are probed.
    init(
        _ fields: UnsafePointer<spin_field>?, count: Int, isGuarded: Bool, broke: (PluginRule) -> Void
    ) {
        guard count != 0 else { return }
        let limit = Int(SPIN_FIELDS_AT_MOST)
        // A count beyond `Int` is no count, so there is nothing to read.
        guard count > 0 else {
            broke(.tooManyFields)
            return
        }
        if count > limit { broke(.tooManyFields) }
        let taken = min(count, limit)
        guard let fields = unsafe fields,
            unsafe !isGuarded || foreign_is_readable(fields, taken * MemoryLayout<spin_field>.stride)
        else {
            broke(.badField)
            return
        }
        for index in 0..<taken {
            let field = unsafe fields[index]
            guard let name = unsafe Self.name(field.name, isGuarded: isGuarded),
                let value = unsafe Self.value(field, isGuarded: isGuarded)
            else {
                broke(.badField)
                continue
            }
            if !append(Field(name: name, value: value)) { broke(.repeatedField) }
        }
    }

    private static func name(_ text: UnsafePointer<CChar>?, isGuarded: Bool) -> String? {
        let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard
            let name = unsafe PluginArguments.text(text, upTo: SPIN_FIELD_NAME_AT_MOST, isGuarded: isGuarded),
            let first = name.utf8.first, letters.contains(first),
            name.utf8.allSatisfy({
                letters.contains($0) || digits.contains($0) || $0 == UInt8(ascii: "_")
            })
        else { return nil }
        return name
    }

    private static func value(_ field: spin_field, isGuarded: Bool) -> Value? {
        switch unsafe Int32(bitPattern: field.kind) {
        case SPIN_FIELD_TEXT:
            let text = unsafe field.value.text
            guard unsafe text.size <= Int(SPIN_FIELD_TEXT_AT_MOST) else { return nil }
            return unsafe PluginArguments.text(text.data, text.size, isGuarded: isGuarded).map { .string($0) }
        case SPIN_FIELD_INTEGER: return unsafe .int(field.value.integer)
        case SPIN_FIELD_NUMBER: return unsafe .double(field.value.number)
        case SPIN_FIELD_FLAG: return unsafe .bool(field.value.flag != 0)
        default: return nil
        }
    }
}

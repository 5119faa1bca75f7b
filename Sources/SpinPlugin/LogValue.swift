import CPluginABI

/// The value of a field of a log line.
public enum LogValue: Hashable, Sendable {
    /// A text; the host takes at most 64 KiB.
    case text(String)
    /// An integer.
    case integer(Int64)
    /// A number.
    case number(Double)
    /// True or false.
    case flag(Bool)

    /// Calls `body` with the fields in C. They are valid until it returns.
    static func withFields<Result>(
        _ fields: KeyValuePairs<String, LogValue>, _ body: (UnsafeBufferPointer<spin_field>) -> Result
    ) -> Result {
        let texts = fields.flatMap { [$0.key, $0.value.content] }
        return unsafe CTexts.with(texts) { pointers in
            // Safe because there are two texts for each field.
            let made = unsafe fields.enumerated().map { index, field in
                unsafe spin_field(pointers[2 * index]!, pointers[2 * index + 1]!, field.value)
            }
            return unsafe made.withUnsafeBufferPointer(body)
        }
    }

    /// The text; empty for other values.
    fileprivate var content: String { if case .text(let text) = self { text } else { "" } }
}

extension LogValue: ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral
{
    /// A text.
    public init(stringLiteral text: String) { self = .text(text) }
    /// An integer.
    public init(integerLiteral integer: Int64) { self = .integer(integer) }
    /// A number.
    public init(floatLiteral number: Double) { self = .number(number) }
    /// True or false.
    public init(booleanLiteral flag: Bool) { self = .flag(flag) }
}

extension spin_field {
    /// A field whose text, if it has one, is at `text`.
    fileprivate init(_ name: UnsafePointer<CChar>, _ text: UnsafePointer<CChar>, _ value: LogValue) {
        // Safe because the caller keeps both texts while the field is used.
        switch value {
        case .text:
            unsafe self = spin_field_text(name, nil)
            unsafe self.value.text = spin_string(data: text, size: value.content.utf8.count)
        case .integer(let integer): unsafe self = spin_field_integer(name, integer)
        case .number(let number): unsafe self = spin_field_number(name, number)
        case .flag(let flag): unsafe self = spin_field_flag(name, flag ? 1 : 0)
        }
    }
}

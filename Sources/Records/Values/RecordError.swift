/// The reason why a value could not be read, converted or stored.
public struct RecordError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of error, for programs.
    public struct Code: Hashable, Sendable {
        private let name: String

        /// The value's kind does not convert to the field's type.
        public static let wrongType = Code(name: "wrong type")
        /// The value's kind converts, but this value does not fit.
        public static let outOfRange = Code(name: "out of range")
        /// A name that is not a field, a case or a member.
        public static let unknownName = Code(name: "unknown name")
        /// A required field is missing.
        public static let missingField = Code(name: "missing field")
        /// Text that is not UTF-8, not in the required form, or not readable.
        public static let invalidText = Code(name: "invalid text")
        /// JSON that does not parse.
        public static let invalidJSON = Code(name: "invalid JSON")
    }

    /// The kind of error.
    public let code: Code
    /// One sentence for people: lower case, no full stop, the wrong part in backticks.
    public let message: String
    /// The position in the value: field names and `[index]`, outermost first. Empty for the value itself.
    public let path: [String]

    /// An error at the value itself, or at `path` below it.
    public init(_ code: Code, _ message: String, path: [String] = []) {
        (self.code, self.message, self.path) = (code, message, path)
    }

    /// The same error with `name` in front of its path. `name` is the part of an outer value that has the
    /// error.
    public func inside(_ name: String) -> RecordError {
        RecordError(code, message, path: [name] + path)
    }

    /// The message with its path: `` `a.b[2]`: `300` does not fit `u8` ``.
    public var description: String {
        path.isEmpty
            ? message
            : "`\(path.reduce("") { $1.hasPrefix("[") || $0.isEmpty ? $0 + $1 : $0 + "." + $1 })`: \(message)"
    }
}

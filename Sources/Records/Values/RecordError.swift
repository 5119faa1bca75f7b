/// Why a value could not be read, converted or stored.
public struct RecordError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What went wrong, for programs.
    public struct Code: Hashable, Sendable {
        private let name: String

        /// The value's kind does not convert to the field's type.
        public static let wrongType = Code(name: "wrong type")
        /// The kind converts, this value does not fit.
        public static let outOfRange = Code(name: "out of range")
        /// A name that is neither field nor member.
        public static let unknownName = Code(name: "unknown name")
        /// A field that must be given is not.
        public static let missingField = Code(name: "missing field")
        /// Text that is not UTF-8, or bytes where text was promised.
        public static let invalidText = Code(name: "invalid text")
        /// JSON that does not parse.
        public static let invalidJSON = Code(name: "invalid JSON")
    }

    /// What went wrong.
    public let code: Code
    /// One sentence for people: lower case, no full stop, the offending thing in backticks.
    public let message: String
    /// Where in the value: field names and `[index]`, outermost first; empty for the value itself.
    public let path: [String]

    /// An error at the value itself, or at `path` below it.
    public init(_ code: Code, _ message: String, path: [String] = []) {
        (self.code, self.message, self.path) = (code, message, path)
    }

    /// The same error, seen from the value that contains this one under `name`.
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

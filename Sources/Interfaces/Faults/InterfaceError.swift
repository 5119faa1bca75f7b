public import Diagnostics

/// The reason why a library, a plugin or a call cannot be used.
public struct InterfaceError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The stable code of this kind of error.
    public let code: DiagnosticCode
    /// One sentence: lower case, no full stop, the offending thing in backticks.
    public let message: String
    /// What to do, one line each.
    public let help: [String]
    /// The faulty argument of a call, as an index into the given arguments; nil if the error is not about
    /// one.
    public let argument: Int?

    public init(_ code: DiagnosticCode, _ message: String, help: [String] = [], argument: Int? = nil) {
        (self.code, self.message, self.help, self.argument) = (code, message, help, argument)
    }

    public var description: String { message }
}

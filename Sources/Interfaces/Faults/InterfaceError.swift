public import Diagnostics

/// Why a library, a plugin or a call cannot be used.
public struct InterfaceError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The stable code of this kind of error.
    public let code: DiagnosticCode
    /// One sentence: lower case, no full stop, the offending thing in backticks.
    public let message: String
    /// What to do, one line each.
    public let help: [String]
    /// Which argument of a call is meant, as an index into the arguments given; nil when it is none of them.
    public let argument: Int?

    public init(_ code: DiagnosticCode, _ message: String, help: [String] = [], argument: Int? = nil) {
        (self.code, self.message, self.help, self.argument) = (code, message, help, argument)
    }

    public var description: String { message }
}

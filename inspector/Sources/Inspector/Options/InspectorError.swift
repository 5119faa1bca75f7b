/// Why the inspector does not start.
public struct InspectorError: Error, Equatable, Sendable {
    /// The exit code of the program: 64 for a wrong command line, 69 if something is not available.
    public let code: Int32
    /// The reason in one line, in lower case.
    public let message: String

    static func usage(_ message: String) -> InspectorError { InspectorError(code: 64, message: message) }

    static func unavailable(_ message: String) -> InspectorError {
        InspectorError(code: 69, message: message)
    }
}

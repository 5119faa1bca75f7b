public import Diagnostics
import Interfaces

/// The error of this module: a library could not be used, or a call into it failed.
public struct PluginError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The stable code of this kind of error.
    public let code: DiagnosticCode
    /// One sentence: lower case, no full stop, the offending thing in backticks.
    public let message: String
    /// Advice, one line each; may be empty.
    public let help: [String]
    /// The library as it was located; empty when the error has none.
    public let library: String
    /// The function or symbol; empty when the error has none.
    public let symbol: String
    /// The error of the function's call that led to this one, when the call did not return; nil when it did.
    public let cause: DiagnosticCode?
    /// Identifies the version of a library that `StagingDirectory.stage` has refused: a hash over all contents
    /// that it has read. Nil for all other errors.
    public internal(set) var hash: String?

    /// An error about `symbol` of `library`, each as far as there is one.
    public init(
        _ code: DiagnosticCode, _ message: String, help: [String] = [], library: String = "",
        symbol: String = "", cause: DiagnosticCode? = nil
    ) {
        (self.code, self.message, self.help) = (code, message, help)
        (self.library, self.symbol, self.cause) = (library, symbol, cause)
    }

    /// The message.
    public var description: String { message }
}

extension PluginError {
    /// What is wrong with the file of `library`.
    init(_ error: InterfaceError, library: String) {
        self.init(error.code, error.message, help: error.help, library: library)
    }

    /// A plugin whose notes and constants differ.
    static func contradiction(_ library: String, _ what: String) -> PluginError {
        PluginError(
            .contradictoryPlugin, "`\(library)` is not what its notes say: \(what)",
            help: ["build the plugin again, and do not strip its dynamic symbols"], library: library)
    }
}

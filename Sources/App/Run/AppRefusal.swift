public import Diagnostics

/// Why an app cannot be loaded, or why a running app cannot be changed.
public struct AppRefusal: Error {
    /// The reasons, with places in the manifest where there are some. Never empty.
    public let diagnostics: [Diagnostic]
    /// Whether the same change may succeed later, as neither a new version nor a manifest is the reason.
    public let isTemporary: Bool
    /// Identifies a version of a library that cannot be staged (`PluginError.hash`); nil for all other reasons.
    let hash: String?

    init(_ diagnostics: [Diagnostic], isTemporary: Bool = false, hash: String? = nil) {
        (self.diagnostics, self.isTemporary, self.hash) = (diagnostics, isTemporary, hash)
    }

    init(_ diagnostic: Diagnostic, isTemporary: Bool = false, hash: String? = nil) {
        self.init([diagnostic], isTemporary: isTemporary, hash: hash)
    }
}

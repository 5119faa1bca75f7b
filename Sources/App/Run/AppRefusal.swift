public import Diagnostics

/// Why an app cannot be loaded, or why a running app cannot be changed.
public struct AppRefusal: Error {
    /// The reasons, with places in the manifest where there are some. Never empty.
    public let diagnostics: [Diagnostic]
    /// Whether the same change may succeed later, as neither a new version nor a manifest is the reason.
    let isTemporary: Bool

    init(_ diagnostics: [Diagnostic], isTemporary: Bool = false) {
        (self.diagnostics, self.isTemporary) = (diagnostics, isTemporary)
    }

    init(_ diagnostic: Diagnostic, isTemporary: Bool = false) {
        self.init([diagnostic], isTemporary: isTemporary)
    }
}

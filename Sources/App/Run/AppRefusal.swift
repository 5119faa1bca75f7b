public import Diagnostics

/// Why an app cannot be loaded, or a change of a running app does not happen.
public struct AppRefusal: Error {
    /// What is in the way, with places in the manifest where there are some. Never empty.
    public let diagnostics: [Diagnostic]
    /// Whether the same may succeed later as it is: it is not the fault of a new version or a manifest.
    let isTemporary: Bool

    init(_ diagnostics: [Diagnostic], isTemporary: Bool = false) {
        (self.diagnostics, self.isTemporary) = (diagnostics, isTemporary)
    }

    init(_ diagnostic: Diagnostic, isTemporary: Bool = false) {
        self.init([diagnostic], isTemporary: isTemporary)
    }
}

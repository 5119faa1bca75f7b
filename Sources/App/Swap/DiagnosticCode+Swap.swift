public import Diagnostics

// Why a plugin is not swapped (P080 to P100).
extension DiagnosticCode {
    /// P080: the new version of a plugin has another interface.
    static let otherInterface = DiagnosticCode("P080")
    /// P081: a function of an instance, or a call of an effect, does not return in time for a swap.
    static let notReturned = DiagnosticCode("P081")
    /// P082: a plugin no longer has an instance.
    static let notStartedAgain = DiagnosticCode("P082")
    /// P083: a new version of a plugin failed its probation.
    static let rolledBack = DiagnosticCode("P083")
    /// P084: a library that was rolled back is not tried again.
    static let rejected = DiagnosticCode("P084")
    /// P085: the new version of a plugin has other settings.
    static let otherSettings = DiagnosticCode("P085")
    /// P091: two versions of a plugin would share a variable.
    static let sharedVariable = DiagnosticCode("P091")
    /// P092: a loop does not reach the end of its step, so that a plugin cannot be swapped.
    static let held = DiagnosticCode("P092")
    /// P093: a library of the system cannot be swapped.
    static let systemLibrary = DiagnosticCode("P093")
    /// P094: the manifest has no such plugin, or no loop calls it.
    static let noPlugin = DiagnosticCode("P094")
    /// P095: the app does not run yet, or is ending, so that nothing can be swapped.
    public static let notRunning = DiagnosticCode("P095")
    /// P097: a plugin does not stop using a table of another one in time for a swap.
    static let tableUsed = DiagnosticCode("P097")
    /// P100: a loop has another key in a changed manifest.
    static let keyedLoop = DiagnosticCode("P100")
    /// P098: the app is locked.
    static let locked = DiagnosticCode("P098")
}

extension Diagnostic {
    init(_ code: DiagnosticCode, _ message: String, help: String? = nil) {
        self.init(.error, code, message, help: help.map { [$0] } ?? [])
    }

    /// A loop does not reach the end of its step.
    static func held(_ loop: String, _ limit: Duration) -> Diagnostic {
        Diagnostic(
            .held, "loop `\(loop)` did not reach the end of its step within \(limit)",
            help: "give effects that wait an `executor`, or let them take `spin_call *` and emit later")
    }

    /// A function of a plugin, or its work, did not return in time.
    static func late(_ what: String, _ limit: Duration) -> Diagnostic {
        Diagnostic(.notReturned, "`\(what)` did not return within \(limit)")
    }

    /// A function of a plugin has not returned since an earlier swap.
    static func busy(_ what: String?) -> Diagnostic {
        Diagnostic(.notReturned, "`\(what ?? "a function")` of the last swap has not returned")
    }

    /// A library was rolled back before, for this reason.
    static func rejected(_ reason: String, at place: SourceSpan? = nil) -> Diagnostic {
        Diagnostic(
            .error, .rejected, "this library was rolled back: \(reason)", at: place,
            help: ["change and build it again: the host tries a library with other bytes"])
    }

    /// The app loads nothing after its start.
    package static let locked = Diagnostic(
        .locked, "the app is locked: it loads no library after its start (`app.lock`)",
        help: "end it, and start it again")

    static let ended = Diagnostic(.notRunning, "the app has ended")
}

/// The app's reaction to an unhandled fault: `app.on-fault`.
public enum FaultPolicy: String, Sendable, CaseIterable {
    /// The fault is reported and the loops continue.
    case proceed = "continue"
    /// The fault is reported and the app ends.
    case stop
}

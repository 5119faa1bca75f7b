/// What happens to the app when a fault occurs that nothing handles.
public enum FaultPolicy: String, Sendable, CaseIterable {
    /// The fault is reported and the loops go on.
    case proceed = "continue"
    /// The fault is reported and the app ends.
    case stop
}

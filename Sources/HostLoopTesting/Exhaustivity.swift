/// How much of what a loop does a test has to assert.
public enum Exhaustivity: Sendable, Hashable {
    /// Everything: each event taken, the whole of each new state, the end of each effect, each fault.
    case on
    /// What the test names: events in between may be passed over, a change is compared only in the parts of
    /// the state that its closure sets, and effects may still run at the end. Faults have to be expected all
    /// the same.
    case off
}

/// How much of a loop's behaviour a test must assert.
public enum Exhaustivity: Sendable, Hashable {
    /// The test must assert every event, every whole new state, the end of every effect, and every fault.
    case on
    /// The test may skip events, and effects may still run at the end. A change is compared only in the parts
    /// of the state that its closure sets. The test must still expect every fault.
    case off
}

/// The behaviour of an emission while the mailbox of its loop is full.
public enum EmissionWait: Hashable, Sendable {
    /// The emission is not taken.
    case none
    /// The emission blocks its thread, at most so long by the loop's clock; nil is for ever.
    case upTo(Duration?)
}

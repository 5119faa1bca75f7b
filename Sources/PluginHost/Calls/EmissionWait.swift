/// What an emission does while the mailbox of its loop is full.
public enum EmissionWait: Hashable, Sendable {
    /// It is not taken.
    case none
    /// It blocks its thread, at most so long by the loop's clock; nil is for ever.
    case upTo(Duration?)
}

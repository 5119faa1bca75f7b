/// What an observed process has tried.
public struct Access: Sendable, Hashable {
    public enum Kind: Sendable, Hashable {
        case read
        /// Also: make, move, remove.
        case write
        /// Start a program.
        case execute
        /// Reach a peer.
        case connect
        /// Start a child.
        case child
        /// Any other system call that policies refuse.
        case call
    }

    public let kind: Kind
    /// For files the absolute path without symbolic links. For peers a text as of `SandboxPolicy.Peer`, such
    /// as `tcp:80`, or the address of one that no policy allows, such as `udp`. Otherwise the name of the
    /// system call.
    ///
    /// It is what the observer has read. Code that changes its memory meanwhile can have tried another one.
    public let path: String
    /// Whether the policy allows it. In a profile nothing is refused, and this says what would be.
    public let isAllowed: Bool
    /// The thread, by its number.
    public let thread: Int32
}

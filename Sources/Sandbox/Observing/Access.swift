/// What an observed process has tried.
public struct Access: Sendable, Hashable {
    /// What a call tries to do.
    public enum Kind: Sendable, Hashable {
        /// Read a file or a folder.
        case read
        /// Write a file; also make, move or remove one.
        case write
        /// Start a program.
        case execute
        /// Reach a peer.
        case connect
        /// Be reached by peers.
        case listen
        /// Start a child.
        case child
        /// Any other system call that policies refuse.
        case call
    }

    /// What the call tries to do.
    public let kind: Kind
    /// For files the absolute path without symbolic links. For peers, and for where it
    /// listens, a text as of `SandboxPolicy.Peer`, such
    /// as `tcp:80`, or the address of one that no policy allows, such as `udp`. Otherwise the name of the
    /// system call.
    ///
    /// It is what the observer has read. A process that changes its memory at the same
    /// time may have used another path.
    public let path: String
    /// The path that a rule must name to allow it: that of the folder for a file that is made, moved or removed,
    /// otherwise `path`.
    public let rulePath: String
    /// Whether the policy allows it. In a profile nothing is refused, and this says what would be.
    public let isAllowed: Bool
}

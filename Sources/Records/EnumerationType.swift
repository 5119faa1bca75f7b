/// A fixed set of names, stored as an `int32_t` index into them.
public struct EnumerationType: Hashable, Sendable {
    /// The names in declaration order; the first one is the zero value.
    public let members: [String]

    /// - Precondition: at least one member, all different.
    public init(members: [String]) {
        precondition(
            !members.isEmpty && Set(members).count == members.count, "members are one or more, all different")
        self.members = members
    }

    /// The stored number of a name; nil when it is not a member.
    public func index(of member: String) -> Int32? {
        members.firstIndex(of: member).map(Int32.init)
    }
}

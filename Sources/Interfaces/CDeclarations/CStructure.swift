public import Records

/// A `struct` of C with its layout.
public struct CStructure: Hashable, Sendable {
    /// One member.
    public struct Member: Hashable, Sendable {
        public let name: String
        /// Its type. Structures behind pointers are known by name only.
        public let type: CType
        /// Distance in bytes from the start of the structure.
        public let offset: Int
    }

    /// The tag; for a `struct` without a tag, the name of its typedef; empty without both.
    public internal(set) var name: String
    /// The members in declaration order, at least one.
    public let members: [Member]
    /// Size in bytes, including the padding at the end.
    public let size: Int
    /// Alignment in bytes.
    public let alignment: Int

    let depth: Int

    /// Computes the layout by the System V ABI: each member is at the next multiple of its alignment, and the
    /// size is a multiple of the greatest alignment.
    ///
    /// - Precondition: at least one member; all members have types with a size and unique names.
    init(name: String, members: [(name: String, type: CType)]) {
        precondition(!members.isEmpty, "a C structure has members")
        var (end, alignment) = (0, 1)
        var placed: [Member] = []
        for member in members {
            guard let size = member.type.size else { preconditionFailure("a member has a size") }
            let offset = Self.round(end, to: member.type.alignment)
            placed.append(Member(name: member.name, type: member.type.withoutTargets, offset: offset))
            end = offset + size
            alignment = max(alignment, member.type.alignment)
        }
        (self.name, self.members, self.alignment) = (name, placed, alignment)
        size = Self.round(end, to: alignment)
        depth = (placed.map(\.type.depth).max() ?? 0) + 1
    }

    /// The record type with the same fields and layout.
    public var recordType: RecordType {
        RecordType(
            members.map { member in
                guard let type = member.type.valueType else { preconditionFailure("a member has a size") }
                return (member.name, type)
            })
    }

    /// The least multiple of `alignment` (a power of two) that is at least `offset`.
    static func round(_ offset: Int, to alignment: Int) -> Int { (offset + alignment - 1) & ~(alignment - 1) }
}

extension CStructure: CustomStringConvertible {
    /// `struct NAME`.
    public var description: String { name.isEmpty ? "struct" : "struct \(name)" }
}

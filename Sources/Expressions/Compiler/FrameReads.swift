/// What an expression reads of its frame: slots, and of records in them which fields.
public struct FrameReads: Hashable, Sendable {
    /// The slots that it reads.
    public private(set) var slots: Set<Int> = []
    // By slot, the fields that it reads. Nil: it uses the record as a whole.
    private var fields: [Int: Set<String>?] = [:]

    /// Nothing, as a constant reads.
    public init() {}

    /// The sum of what several expressions read.
    public init(_ parts: some Sequence<FrameReads>) {
        for part in parts { formUnion(part) }
    }

    /// Whether it reads nothing, as a constant.
    public var isEmpty: Bool { slots.isEmpty }

    /// Whether it reads a slot.
    public func contains(_ slot: Int) -> Bool { slots.contains(slot) }

    /// The fields that it reads of the record in a slot; nil if it uses the record as a whole.
    ///
    /// A field of a record in a field counts as a read of the outer one.
    public func fields(of slot: Int) -> Set<String>? { fields[slot, default: []] }

    /// Adds a slot.
    ///
    /// - Parameter field: the field that is read; nil: the slot as a whole.
    mutating func insert(_ slot: Int, field: String? = nil) {
        slots.insert(slot)
        merge(slot, field.map { [$0] })
    }

    /// Adds all that another expression reads.
    public mutating func formUnion(_ other: FrameReads) {
        slots.formUnion(other.slots)
        for (slot, fields) in other.fields { merge(slot, fields) }
    }

    private mutating func merge(_ slot: Int, _ more: Set<String>?) {
        guard let more, let known = fields[slot, default: []] else {
            fields[slot] = .some(nil)
            return
        }
        fields[slot] = .some(known.union(more))
    }
}

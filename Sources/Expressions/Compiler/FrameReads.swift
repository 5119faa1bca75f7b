/// What an expression reads of its frame: slots, and of records in them which fields.
public struct FrameReads: Hashable, Sendable {
    private enum Extent: Hashable, Sendable {
        /// The slot as a whole.
        case whole
        /// These fields of the record in it.
        case fields(Set<String>)

        mutating func formUnion(_ other: Extent) {
            guard case (.fields(let some), .fields(let others)) = (self, other) else {
                self = .whole
                return
            }
            self = .fields(some.union(others))
        }
    }

    private var extents: [Int: Extent] = [:]

    /// Nothing, as a constant reads.
    public init() {}

    /// The sum of what several expressions read.
    public init(_ parts: some Sequence<FrameReads>) {
        for part in parts { formUnion(part) }
    }

    /// The slots that it reads.
    public var slots: Set<Int> { Set(extents.keys) }

    /// Whether it reads nothing, as a constant.
    public var isEmpty: Bool { extents.isEmpty }

    /// Whether it reads a slot.
    public func contains(_ slot: Int) -> Bool { extents[slot] != nil }

    /// The fields that it reads of the record in a slot; nil if it uses the record as a whole.
    ///
    /// A field of a record in a field counts as a read of the outer one.
    public func fields(of slot: Int) -> Set<String>? {
        switch extents[slot] {
        case .whole: nil
        case .fields(let fields): fields
        case nil: []
        }
    }

    /// Adds a slot.
    ///
    /// - Parameter field: the field that is read; nil: the slot as a whole.
    mutating func insert(_ slot: Int, field: String? = nil) {
        extents[slot, default: .fields([])].formUnion(field.map { .fields([$0]) } ?? .whole)
    }

    /// Adds all that another expression reads.
    public mutating func formUnion(_ other: FrameReads) {
        for (slot, extent) in other.extents { extents[slot, default: .fields([])].formUnion(extent) }
    }
}

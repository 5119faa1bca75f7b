/// A value that is made when it is changed first. Until then, it takes one word, and reads find what `init()` makes.
@usableFromInline
struct OnDemand<Value: Blank & Sendable>: Sendable {
    /// Empty, or one element. The array serves as a pointer to a value that can be changed in place.
    @usableFromInline var storage: ContiguousArray<Value> = []

    @inlinable
    init() {}

    /// Whether the value was made.
    @inlinable var exists: Bool { !storage.isEmpty }

    @inlinable var value: Value {
        _read {
            if exists { yield storage[0] } else { yield Value() }
        }
        _modify {
            if !exists { storage.append(Value()) }
            yield &storage[0]
        }
    }
}

/// A value that can be made of nothing.
@usableFromInline
protocol Blank {
    init()
}

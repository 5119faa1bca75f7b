import Records

// Safe because `read` is given memory that holds a value of the type, of its size and alignment.

extension Int64: FieldScalar {
    @inline(__always)
    static func read(_ memory: UnsafeRawPointer) -> Int64 { unsafe memory.load(as: Int64.self) }
}

extension UInt64: FieldScalar {
    @inline(__always)
    static func read(_ memory: UnsafeRawPointer) -> UInt64 { unsafe memory.load(as: UInt64.self) }
}

extension Double: FieldScalar {
    @inline(__always)
    static func read(_ memory: UnsafeRawPointer) -> Double { unsafe memory.load(as: Double.self) }
}

extension Bool: FieldScalar {
    /// Any byte but 0 is true, so that no plugin can make a value that is neither.
    @inline(__always)
    static func read(_ memory: UnsafeRawPointer) -> Bool { unsafe memory.load(as: UInt8.self) != 0 }
}

extension Timestamp: FieldScalar {
    static func read(_ memory: UnsafeRawPointer) -> Timestamp {
        Timestamp(nanosecondsSinceEpoch: unsafe memory.load(as: Int64.self))
    }
}

extension Value: FieldScalar {
    /// The memory holds a `Value`: an operand of a call that is resolved while it runs.
    static func read(_ memory: UnsafeRawPointer) -> Value {
        unsafe memory.assumingMemoryBound(to: Value.self).pointee
    }
}

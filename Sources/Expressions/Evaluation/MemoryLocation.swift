import Records

/// The location of a value in memory during an evaluation.
@safe
enum MemoryLocation: Sendable {
    case fixed(FieldAddress)
    /// The caller must use the address while the frame that it was computed from exists.
    case computed(Compute<UnsafeRawPointer>)

    var fixed: FieldAddress? { if case .fixed(let address) = self { address } else { nil } }

    @inline(__always)
    func pointer(in frame: Frame) throws(EvaluationFault) -> UnsafeRawPointer {
        // Safe because this only returns the address.
        switch self {
        case .fixed(let address): unsafe address.pointer(in: frame)
        case .computed(let compute): unsafe try compute(frame)
        }
    }

    /// The location at a fixed distance in bytes from this one.
    func advanced(by distance: Int) -> MemoryLocation {
        // Safe because this only returns an address, and the distance stays within the value at this
        // location.
        switch self {
        case .fixed(let address): return .fixed(address.advanced(by: distance))
        case .computed(let compute):
            guard distance > 0 else { return self }
            return unsafe .computed { frame throws(EvaluationFault) in unsafe try compute(frame) + distance }
        }
    }

    /// The location of the value of an optional. Its evaluation faults when the optional is null.
    func unwrapped(_ type: ValueType, fault: @escaping @Sendable () -> EvaluationFault) -> MemoryLocation {
        // Safe because an optional is a byte, followed by the value.
        let (location, distance) = (self, type.wrappedOffset)
        return unsafe .computed { frame throws(EvaluationFault) in
            let memory = unsafe try location.pointer(in: frame)
            guard unsafe memory.load(as: UInt8.self) != 0 else { throw fault() }
            return unsafe memory + distance
        }
    }

    /// Reads one element of the list or array at this location, as an optional. The others are not read.
    ///
    /// - Parameter position: the index of the element, for a list of so many elements.
    func optionalElement(
        of list: ValueType,
        at position: @escaping @Sendable (Frame, Int) throws(EvaluationFault) -> Int64
    ) -> Operand<Value> {
        // Safe because a list is a pointer and a count, and the position is checked against the count.
        .computing { frame throws(EvaluationFault) in
            var items = unsafe try self.pointer(in: frame)
            let (stored, count): (ValueType, Int)
            switch list {
            case .array(let element, let size): (stored, count) = (element, size)
            case .list(let element):
                (stored, count) = unsafe (element, items.load(fromByteOffset: 8, as: Int.self))
                unsafe items = items.load(as: UnsafeRawPointer.self)
            default: preconditionFailure("only lists and arrays have elements in memory")
            }
            let position = try position(frame, count)
            guard position >= 0, position < count else { return .optional(nil) }
            return unsafe .optional(ValueMemory.load(items + Int(position) * stored.stride, as: stored))
        }
    }

    /// Reads a scalar from this location.
    func operand<Output: Scalar>(_: Output.Type) -> Operand<Output> {
        if let address = fixed { return .field(address) }
        return unsafe read { memory in unsafe Output.read(memory) }
    }

    /// Applies a function to the value at this location.
    func read<Output: Scalar>(
        _ transform: @escaping @Sendable (UnsafeRawPointer) -> Output
    ) -> Operand<Output> {
        // Safe because the transform is made for the type of the value at this location.
        unsafe .computed(Output.Computation(LocationSource(location: self, transform: transform)))
    }

    /// Reads an integer of any type except `u64`.
    func integer(_ type: IntegerType) -> Operand<Int64> {
        func narrow<Stored: FixedWidthInteger & Sendable>(_: Stored.Type) -> Operand<Int64> {
            if let address = fixed {
                return .computed(IntComputation(NarrowSource<Stored>(address: address)))
            }
            // Safe because the location holds an integer of the type.
            return unsafe read { memory in unsafe Int64(memory.load(as: Stored.self)) }
        }
        return switch type {
        case .i8: narrow(Int8.self)
        case .i16: narrow(Int16.self)
        case .i32: narrow(Int32.self)
        case .i64: operand(Int64.self)
        case .u8: narrow(UInt8.self)
        case .u16: narrow(UInt16.self)
        case .u32: narrow(UInt32.self)
        case .u64: preconditionFailure("a `u64` is read as `UInt64`")
        }
    }
}

/// A function applied to the value at a location.
@safe
private struct LocationSource<Output: Sendable>: Source {
    let location: MemoryLocation
    let transform: @Sendable (UnsafeRawPointer) -> Output

    func callAsFunction(_ frame: Frame) throws(EvaluationFault) -> Output {
        // Safe because the transform is made for the type of the value at this location.
        unsafe transform(try location.pointer(in: frame))
    }
}

/// A field of an integer type narrower than 64 bits.
private struct NarrowSource<Stored: FixedWidthInteger & Sendable>: Source {
    let address: FieldAddress

    @inline(__always)
    func callAsFunction(_ frame: Frame) throws(EvaluationFault) -> Int64 {
        // Safe because the field holds an integer of the type.
        unsafe Int64(address.pointer(in: frame).load(as: Stored.self))
    }
}

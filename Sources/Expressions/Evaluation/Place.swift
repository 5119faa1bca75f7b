import Records

/// Where a value lies in memory while an expression is evaluated.
@safe
enum Place: Sendable {
    case fixed(FieldAddress)
    /// The address is used before the frame it was made from is gone.
    case computed(Compute<UnsafeRawPointer>)

    var fixed: FieldAddress? { if case .fixed(let address) = self { address } else { nil } }

    @inline(__always)
    func pointer(in frame: Frame) throws(EvaluationFault) -> UnsafeRawPointer {
        // Safe because this only hands the address on.
        switch self {
        case .fixed(let address): unsafe address.pointer(in: frame)
        case .computed(let compute): unsafe try compute(frame)
        }
    }

    /// The place at a fixed distance from this one.
    func advanced(by distance: Int) -> Place {
        // Safe because it only hands the address on; the distance stays within the value at this place.
        switch self {
        case .fixed(let address): return .fixed(address.advanced(by: distance))
        case .computed(let compute):
            guard distance > 0 else { return self }
            return unsafe .computed { frame throws(EvaluationFault) in unsafe try compute(frame) + distance }
        }
    }

    /// The place of an optional's value; evaluating it faults when the optional is null.
    func unwrapped(_ type: ValueType, fault: @escaping @Sendable () -> EvaluationFault) -> Place {
        // Safe because an optional is a byte and, behind it, the value.
        let (place, distance) = (self, type.wrappedOffset)
        return unsafe .computed { frame throws(EvaluationFault) in
            let memory = unsafe try place.pointer(in: frame)
            guard unsafe memory.load(as: UInt8.self) != 0 else { throw fault() }
            return unsafe memory + distance
        }
    }

    /// A scalar read from this place.
    func operand<Output: Scalar>(_: Output.Type) -> Operand<Output> {
        if let address = fixed { return .field(address) }
        return unsafe read { memory in unsafe Output.read(memory) }
    }

    /// Something made of the value at this place.
    func read<Output: Scalar>(
        _ transform: @escaping @Sendable (UnsafeRawPointer) -> Output
    ) -> Operand<Output> {
        // Safe because the transform is made for the type of the value at this place.
        unsafe .computed(Output.Computation(PlaceSource(place: self, transform: transform)))
    }

    /// An integer of any type but `u64`.
    func integer(_ type: IntegerType) -> Operand<Int64> {
        func narrow<Stored: FixedWidthInteger & Sendable>(_: Stored.Type) -> Operand<Int64> {
            if let address = fixed {
                return .computed(IntComputation(NarrowSource<Stored>(address: address)))
            }
            // Safe because the place holds an integer of the type.
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

/// Something made of the value at a place.
@safe
private struct PlaceSource<Output: Sendable>: Source {
    let place: Place
    let transform: @Sendable (UnsafeRawPointer) -> Output

    func callAsFunction(_ frame: Frame) throws(EvaluationFault) -> Output {
        // Safe because the transform is made for the type of the value at this place.
        unsafe transform(try place.pointer(in: frame))
    }
}

/// A field of an integer type below 64 bits.
private struct NarrowSource<Stored: FixedWidthInteger & Sendable>: Source {
    let address: FieldAddress

    @inline(__always)
    func callAsFunction(_ frame: Frame) throws(EvaluationFault) -> Int64 {
        // Safe because the field holds an integer of the type.
        unsafe Int64(address.pointer(in: frame).load(as: Stored.self))
    }
}

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
    func operand<Output: FieldScalar>(_: Output.Type) -> Operand<Output> {
        if let address = fixed { return .field(address) }
        return unsafe read { memory in unsafe Output.read(memory) }
    }

    /// Something made of the value at this place.
    func read<Output: FieldScalar>(
        _ transform: @escaping @Sendable (UnsafeRawPointer) -> Output
    ) -> Operand<Output> {
        // Safe because the transform is made for the type of the value at this place.
        let place = self
        return .computed { frame throws(EvaluationFault) in
            unsafe transform(unsafe try place.pointer(in: frame))
        }
    }
}

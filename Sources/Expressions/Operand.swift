/// What a scalar expression compiles to: a closure over the frame.
typealias Compute<Output> = @Sendable (Frame) throws(EvaluationFault) -> Output

/// A place at a fixed distance from the base address of a slot.
struct FieldAddress: Hashable, Sendable {
    let slot: Int
    let offset: Int

    @inline(__always)
    func pointer(in frame: Frame) -> UnsafeRawPointer {
        // Safe because the scope says that the slot holds a value that reaches beyond the offset.
        unsafe frame.base(slot) + offset
    }

    func advanced(by distance: Int) -> FieldAddress { FieldAddress(slot: slot, offset: offset + distance) }
}

/// A compiled operand: known, in memory, or computed. Operators make a closure of their own for the first two, so that
/// reading a field or a constant costs no call.
enum Operand<Output: FieldScalar>: Sendable {
    case constant(Output)
    /// In memory in the form that `Output.read` expects.
    case field(FieldAddress)
    case computed(Compute<Output>)

    var constant: Output? { if case .constant(let value) = self { value } else { nil } }

    /// One closure, whatever the case.
    var compute: Compute<Output> {
        switch self {
        case .constant(let value): { _ in value }
        case .field(let address): { frame in unsafe Output.read(address.pointer(in: frame)) }
        case .computed(let compute): compute
        }
    }

    /// The operand put through a function that may fault.
    @inline(__always)
    func map<Result>(
        _ transform: @escaping @Sendable (Output) throws(EvaluationFault) -> Result
    ) -> Operand<Result> {
        switch self {
        case .constant(let value): .computed { _ throws(EvaluationFault) in try transform(value) }
        case .field(let address):
            .computed { frame throws(EvaluationFault) in
                try transform(unsafe Output.read(address.pointer(in: frame)))
            }
        case .computed(let compute):
            .computed { frame throws(EvaluationFault) in try transform(try compute(frame)) }
        }
    }

    /// Two operands put through a function that is compiled once for each pair of cases.
    static func combine<Left, Right, Function: BinaryFunction>(
        _ left: Operand<Left>, _ right: Operand<Right>, _ function: Function
    ) -> Operand where Function.Left == Left, Function.Right == Right, Function.Output == Output {
        let compute: Compute<Output> =
            switch (left, right) {
            case (.field(let a), .constant(let b)):
                function.compile(FieldSource(address: a), ConstantSource(value: b))
            case (.field(let a), .field(let b)):
                function.compile(FieldSource(address: a), FieldSource(address: b))
            case (.computed(let a), .constant(let b)):
                function.compile(ComputedSource(compute: a), ConstantSource(value: b))
            case (.computed(let a), .field(let b)):
                function.compile(ComputedSource(compute: a), FieldSource(address: b))
            case (.field(let a), .computed(let b)):
                function.compile(FieldSource(address: a), ComputedSource(compute: b))
            default:
                function.compile(
                    ComputedSource(compute: left.compute), ComputedSource(compute: right.compute))
            }
        return .computed(compute)
    }
}

/// A type that a slot of the frame may hold directly.
protocol FieldScalar: Sendable {
    /// Reads the value in memory, which holds one in the form of the C ABI.
    static func read(_ memory: UnsafeRawPointer) -> Self
}

/// Where one operand of a function comes from.
protocol Source<Output>: Sendable {
    associatedtype Output
    func read(_ frame: Frame) throws(EvaluationFault) -> Output
}

struct ConstantSource<Output: Sendable>: Source {
    let value: Output

    @inline(__always)
    func read(_ frame: Frame) throws(EvaluationFault) -> Output { value }
}

struct FieldSource<Output: FieldScalar>: Source {
    let address: FieldAddress

    @inline(__always)
    func read(_ frame: Frame) throws(EvaluationFault) -> Output {
        unsafe Output.read(address.pointer(in: frame))
    }
}

struct ComputedSource<Output: Sendable>: Source {
    let compute: Compute<Output>

    @inline(__always)
    func read(_ frame: Frame) throws(EvaluationFault) -> Output { try compute(frame) }
}

/// A function of two scalars that makes its closure for any two sources.
protocol BinaryFunction<Left, Right, Output> {
    associatedtype Left: FieldScalar
    associatedtype Right: FieldScalar
    associatedtype Output

    func compile(_ left: some Source<Left>, _ right: some Source<Right>) -> Compute<Output>
}

/// What an expression compiles to: a closure over the frame.
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

/// A compiled operand: known, in memory, or computed. Operators compile a form of their own for the first
/// two, so that reading a field or a constant costs no call.
enum Operand<Output: Scalar>: Sendable {
    case constant(Output)
    /// In memory in the form that `Output.read` expects.
    case field(FieldAddress)
    case computed(Output.Computation)

    var constant: Output? { if case .constant(let value) = self { value } else { nil } }

    /// One computation, whatever the case.
    var computation: Output.Computation {
        switch self {
        case .constant(let value): Output.Computation(ConstantSource(value: value))
        case .field(let address): Output.Computation(FieldSource(address: address))
        case .computed(let computation): computation
        }
    }

    /// The operand put through a function that may fault.
    func map<Result: Scalar>(
        _ transform: @escaping @Sendable (Output) throws(EvaluationFault) -> Result
    ) -> Operand<Result> {
        .computed(Result.Computation(MappedSource(source: computation, transform: transform)))
    }

    /// Two operands put through a function that is compiled once for each pair of cases.
    static func combine<Left, Right, Function: BinaryFunction>(
        _ left: Operand<Left>, _ right: Operand<Right>, _ function: Function
    ) -> Operand where Function.Left == Left, Function.Right == Right, Function.Output == Output {
        let computation =
            switch (left, right) {
            case (.field(let a), .constant(let b)):
                function.compile(FieldSource(address: a), ConstantSource(value: b))
            case (.field(let a), .field(let b)):
                function.compile(FieldSource(address: a), FieldSource(address: b))
            case (.computed(let a), .constant(let b)): function.compile(a, ConstantSource(value: b))
            case (.computed(let a), .field(let b)): function.compile(a, FieldSource(address: b))
            case (.field(let a), .computed(let b)): function.compile(FieldSource(address: a), b)
            default: function.compile(left.computation, right.computation)
            }
        return .computed(computation)
    }
}

/// Where an operand of a function comes from.
protocol Source<Output>: Sendable {
    associatedtype Output: Sendable
    func callAsFunction(_ frame: Frame) throws(EvaluationFault) -> Output
}

/// A function of two scalars that is compiled for any two sources.
protocol BinaryFunction<Left, Right, Output> {
    associatedtype Left: Scalar
    associatedtype Right: Scalar
    associatedtype Output: Scalar

    func compile(_ left: some Source<Left>, _ right: some Source<Right>) -> Output.Computation
}

struct ConstantSource<Output: Sendable>: Source {
    let value: Output

    @inline(__always)
    func callAsFunction(_ frame: Frame) throws(EvaluationFault) -> Output { value }
}

struct FieldSource<Output: Scalar>: Source {
    let address: FieldAddress

    @inline(__always)
    func callAsFunction(_ frame: Frame) throws(EvaluationFault) -> Output {
        // Safe because the field holds a value of the type.
        unsafe Output.read(address.pointer(in: frame))
    }
}

/// For what is not worth a source of its own: costs a call more.
struct MappedSource<Input: Source, Output: Sendable>: Source {
    let source: Input
    let transform: @Sendable (Input.Output) throws(EvaluationFault) -> Output

    func callAsFunction(_ frame: Frame) throws(EvaluationFault) -> Output { try transform(try source(frame)) }
}

// One function for each type of computation, so that no closure type mentions a type parameter
// (`ScalarComputation`).

extension Operand<Bool> {
    static func computing(_ compute: @escaping @Sendable (Frame) throws(EvaluationFault) -> Bool) -> Operand {
        .computed(BoolComputation(compute))
    }
}

extension Operand<Int64> {
    static func computing(_ compute: @escaping @Sendable (Frame) throws(EvaluationFault) -> Int64) -> Operand
    {
        .computed(IntComputation(compute))
    }
}

extension Operand<UInt64> {
    static func computing(_ compute: @escaping @Sendable (Frame) throws(EvaluationFault) -> UInt64) -> Operand
    {
        .computed(UIntComputation(compute))
    }
}

extension Operand<Double> {
    static func computing(_ compute: @escaping @Sendable (Frame) throws(EvaluationFault) -> Double) -> Operand
    {
        .computed(DoubleComputation(compute))
    }
}

extension Operand where Output.Computation == AnyComputation<Output> {
    static func computing(_ compute: @escaping Compute<Output>) -> Operand {
        .computed(AnyComputation(compute))
    }
}

/// A compiled expression: a closure over the frame.
typealias Compute<Output> = @Sendable (Frame) throws(EvaluationFault) -> Output

/// An address at a fixed offset from the base address of a slot.
struct FieldAddress: Hashable, Sendable {
    let slot: Int
    let offset: Int

    @inline(__always)
    func pointer(in frame: Frame) -> UnsafeRawPointer {
        // Safe because the scope declares a value in the slot that reaches beyond the offset.
        unsafe frame.base(slot) + offset
    }

    func advanced(by distance: Int) -> FieldAddress { FieldAddress(slot: slot, offset: offset + distance) }
}

/// A compiled operand: a constant, a value in memory, or a computation.
///
/// Operators have separate code for constants and for fixed addresses, so that reading one costs no call.
enum Operand<Output: Scalar>: Sendable {
    case constant(Output)
    /// A value in memory in the form that `Output.read` expects.
    case field(FieldAddress)
    case computed(Output.Computation)

    var constant: Output? { if case .constant(let value) = self { value } else { nil } }

    /// The operand as a computation, in all three cases.
    var computation: Output.Computation {
        switch self {
        case .constant(let value): Output.Computation(ConstantSource(value: value))
        case .field(let address): Output.Computation(FieldSource(address: address))
        case .computed(let computation): computation
        }
    }

    /// Applies a function that may fault to the operand.
    func map<Result: Scalar>(
        _ transform: @escaping @Sendable (Output) throws(EvaluationFault) -> Result
    ) -> Operand<Result> {
        .computed(Result.Computation(MappedSource(source: computation, transform: transform)))
    }

    /// Applies a function to two operands. The function has separate code for the common pairs of cases.
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

/// The source of an operand of a function.
protocol Source<Output>: Sendable {
    associatedtype Output: Sendable
    func callAsFunction(_ frame: Frame) throws(EvaluationFault) -> Output
}

/// A function of two scalars. The caller can compile it for any two sources.
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

/// A function applied to a source. It costs one call more than a specialised source.
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

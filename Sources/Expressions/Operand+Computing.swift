// One function for each type of computation, so that no closure type mentions a type parameter (`ScalarComputation`).

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

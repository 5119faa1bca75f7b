import Records

/// A type of operands. A slot of the frame may hold a value of it.
protocol Scalar: Sendable {
    /// The type of closures that compute such a value.
    associatedtype Computation: ScalarComputation<Self>

    /// Reads the value at `memory`, which is in the form of the C ABI.
    static func read(_ memory: UnsafeRawPointer) -> Self
}

/// A closure that computes a scalar.
///
/// There is a separate type for each scalar of performance-critical expressions. A closure type with a type
/// parameter returns its value through memory, and its calls go through a thunk. In a measurement, that made
/// expressions four times slower.
protocol ScalarComputation<Output>: Source where Output: Scalar {
    init(_ source: some Source<Output>)
}

struct BoolComputation: ScalarComputation {
    let compute: @Sendable (Frame) throws(EvaluationFault) -> Bool

    init(_ compute: @escaping @Sendable (Frame) throws(EvaluationFault) -> Bool) { self.compute = compute }

    init(_ source: some Source<Bool>) {
        compute = { frame throws(EvaluationFault) in try source(frame) }
    }

    @inline(__always)
    func callAsFunction(_ frame: Frame) throws(EvaluationFault) -> Bool { try compute(frame) }
}

struct IntComputation: ScalarComputation {
    let compute: @Sendable (Frame) throws(EvaluationFault) -> Int64

    init(_ compute: @escaping @Sendable (Frame) throws(EvaluationFault) -> Int64) { self.compute = compute }

    init(_ source: some Source<Int64>) {
        compute = { frame throws(EvaluationFault) in try source(frame) }
    }

    @inline(__always)
    func callAsFunction(_ frame: Frame) throws(EvaluationFault) -> Int64 { try compute(frame) }
}

struct UIntComputation: ScalarComputation {
    let compute: @Sendable (Frame) throws(EvaluationFault) -> UInt64

    init(_ compute: @escaping @Sendable (Frame) throws(EvaluationFault) -> UInt64) { self.compute = compute }

    init(_ source: some Source<UInt64>) {
        compute = { frame throws(EvaluationFault) in try source(frame) }
    }

    @inline(__always)
    func callAsFunction(_ frame: Frame) throws(EvaluationFault) -> UInt64 { try compute(frame) }
}

struct DoubleComputation: ScalarComputation {
    let compute: @Sendable (Frame) throws(EvaluationFault) -> Double

    init(_ compute: @escaping @Sendable (Frame) throws(EvaluationFault) -> Double) { self.compute = compute }

    init(_ source: some Source<Double>) {
        compute = { frame throws(EvaluationFault) in try source(frame) }
    }

    @inline(__always)
    func callAsFunction(_ frame: Frame) throws(EvaluationFault) -> Double { try compute(frame) }
}

/// The computation of types that are rarely computed, or that cost more than a thunk anyway.
struct AnyComputation<Output: Scalar>: ScalarComputation {
    let compute: Compute<Output>

    init(_ compute: @escaping Compute<Output>) { self.compute = compute }

    init(_ source: some Source<Output>) {
        compute = { frame throws(EvaluationFault) in try source(frame) }
    }

    func callAsFunction(_ frame: Frame) throws(EvaluationFault) -> Output { try compute(frame) }
}

extension Int64: Scalar {
    typealias Computation = IntComputation

    // Safe because the memory holds a value of this size and alignment.
    @inline(__always)
    static func read(_ memory: UnsafeRawPointer) -> Int64 { unsafe memory.load(as: Int64.self) }
}

extension UInt64: Scalar {
    typealias Computation = UIntComputation

    // Safe because the memory holds a value of this size and alignment.
    @inline(__always)
    static func read(_ memory: UnsafeRawPointer) -> UInt64 { unsafe memory.load(as: UInt64.self) }
}

extension Double: Scalar {
    typealias Computation = DoubleComputation

    // Safe because the memory holds a value of this size and alignment.
    @inline(__always)
    static func read(_ memory: UnsafeRawPointer) -> Double { unsafe memory.load(as: Double.self) }
}

extension Bool: Scalar {
    typealias Computation = BoolComputation

    // Safe because the memory holds one byte. Any byte but 0 is true, so a plugin cannot write an invalid
    // bool.
    @inline(__always)
    static func read(_ memory: UnsafeRawPointer) -> Bool { unsafe memory.load(as: UInt8.self) != 0 }
}

extension Timestamp: Scalar {
    typealias Computation = AnyComputation<Timestamp>

    // Safe because the memory holds an `int64_t`.
    static func read(_ memory: UnsafeRawPointer) -> Timestamp {
        Timestamp(nanosecondsSinceEpoch: unsafe memory.load(as: Int64.self))
    }
}

extension Value: Scalar {
    typealias Computation = AnyComputation<Value>

    // Safe because the slot holds a `Value` of Swift, not a value in the form of the C ABI.
    static func read(_ memory: UnsafeRawPointer) -> Value {
        unsafe memory.assumingMemoryBound(to: Value.self).pointee
    }
}

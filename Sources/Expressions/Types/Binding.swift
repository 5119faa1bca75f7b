public import Diagnostics
import Records

extension Scope {
    /// A name for the value of an expression (`let`). The expression's own names are in the scope, too.
    public struct Binding: Sendable {
        /// The name, as expressions write it.
        public let name: String
        /// What it stands for.
        public let expression: Expression
        /// Where the expression is written. Its faults at evaluation point there.
        public let source: SourceText
        /// The slot of the frame that holds the address of a `BindingMemory`.
        public let slot: Int
        /// Its number in that memory, which no other binding of the same frame has.
        public let number: Int

        /// - Precondition: slot and number are not negative.
        public init(name: String, _ expression: Expression, source: SourceText, slot: Int, number: Int) {
            precondition(slot >= 0 && number >= 0, "slots and numbers are counted from 0")
            (self.name, self.expression, self.source) = (name, expression, source)
            (self.slot, self.number) = (slot, number)
        }
    }
}

/// The values of bindings, each of which is computed at most once until `forget`.
///
/// All of them together are limited as the steps of one evaluation are, because each may be twice as long as the one
/// before it. One thread at a time may use it. The frame holds its address (`address`), and does not keep it.
@safe
public final class BindingMemory {
    // Safe because no access overlaps another one: one thread at a time uses the memory, and the function that computes a
    // value runs between two accesses. The same holds for the other variables.
    @safe @exclusivity(unchecked) private var values: [Value?]
    /// The numbers of the values that are known, of which there are `knownCount`.
    @safe @exclusivity(unchecked) private var known: [Int]
    @safe @exclusivity(unchecked) private var knownCount = 0
    /// What reading all of them takes (`Value.weight`).
    @safe @exclusivity(unchecked) private var weight = 0

    /// - Parameter count: one more than the greatest number of a binding.
    public init(count: Int) {
        values = Array(repeating: nil, count: count)
        known = Array(repeating: 0, count: count)
    }

    /// Forgets all values, as what they were computed from changes.
    public func forget() {
        for index in 0..<knownCount { values[known[index]] = nil }
        (knownCount, weight) = (0, 0)
    }

    /// The address for the slot of a frame. The owner keeps the memory while the frame is in use.
    public var address: UnsafeRawPointer {
        unsafe UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
    }

    /// The value of a binding in the memory at an address. It is computed unless it is known.
    ///
    /// - Parameter range: that of its expression, for the fault of values that are too large.
    static func value(
        _ number: Int, at address: UnsafeRawPointer, _ range: Range<Int>, _ frame: Frame,
        _ compute: Compute<Value>
    ) throws(EvaluationFault) -> Value {
        // Safe because the slot holds what `address` has given, and its owner keeps the memory.
        let memory = unsafe Unmanaged<BindingMemory>.fromOpaque(address)
        let result = unsafe memory._withUnsafeGuaranteedRef { memory in
            Result { () throws(EvaluationFault) in try memory.value(number, range, frame, compute) }
        }
        return try result.get()
    }

    @inline(__always)
    private func value(
        _ number: Int, _ range: Range<Int>, _ frame: Frame, _ compute: Compute<Value>
    ) throws(EvaluationFault) -> Value {
        if let value = values[number] { return value }
        let value = try compute(frame)
        weight += value.weight
        guard weight <= Frame.maximumSteps else {
            throw EvaluationFault(
                .tooMuchWork,
                "the names hold more than \(Frame.maximumSteps) elements, or 8 bytes of text for each",
                at: range)
        }
        values[number] = value
        known[knownCount] = number
        knownCount += 1
        return value
    }
}

extension Compiler {
    /// A larger constant (`Value.weight`) is computed in a step, where the memory limits it: constants of constants could
    /// fill the memory at load.
    private static let greatestConstant = 16

    /// Compiles a use of a binding; nil: there is no binding of that name.
    mutating func binding(_ name: String, _ syntax: Syntax) -> Term? {
        guard let binding = scope.bindings.first(where: { $0.name == name }) else { return nil }
        use(binding)
        let expression = binding.expression
        if let constant = expression.constant, constant.weight <= Self.greatestConstant {
            return Term(type: expression.type, code: Code(constant), syntax: syntax)
        }
        // A path to a field needs no memory.
        if let field = expression.field {
            let address = FieldAddress(slot: field.slot, offset: field.offset)
            return Term(.fixed(address), field.type, syntax)
        }
        let (slot, number, compute, source) = (
            binding.slot, binding.number, expression.computation.compute, binding.source
        )
        let range = 0..<expression.text.utf8.count
        let operand = Operand<Value>.computing { frame throws(EvaluationFault) in
            do throws(EvaluationFault) {
                return unsafe try BindingMemory.value(number, at: frame.base(slot), range, frame, compute)
            } catch {
                throw error.inside(source)
            }
        }
        return Term(
            type: expression.type, code: Code(unboxing: operand, as: expression.type, at: syntax.range),
            syntax: syntax)
    }
}

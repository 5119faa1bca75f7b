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
/// One thread at a time may use it. The frame holds its address (`address`), and does not keep it.
@safe
public final class BindingMemory {
    private var values: [Value?]
    /// The numbers of the values that are known.
    private var known: [Int] = []

    /// - Parameter count: one more than the greatest number of a binding.
    public init(count: Int) {
        values = Array(repeating: nil, count: count)
        known.reserveCapacity(count)
    }

    /// Forgets all values, as what they were computed from changes.
    public func forget() {
        for number in known { values[number] = nil }
        known.removeAll(keepingCapacity: true)
    }

    /// The address for the slot of a frame. The owner keeps the memory while the frame is in use.
    public var address: UnsafeRawPointer {
        unsafe UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
    }

    /// The memory at an address.
    static func at(_ address: UnsafeRawPointer) -> BindingMemory {
        // Safe because the slot holds what `address` has given, and its owner keeps the memory.
        unsafe Unmanaged<BindingMemory>.fromOpaque(address).takeUnretainedValue()
    }

    /// The value of a binding, which is computed unless it is known.
    func value(
        _ number: Int, _ compute: () throws(EvaluationFault) -> Value
    ) throws(EvaluationFault) -> Value {
        if let value = values[number] { return value }
        let value = try compute()
        values[number] = value
        known.append(number)
        return value
    }
}

extension Compiler {
    /// Compiles a use of a binding; nil: there is no binding of that name.
    mutating func binding(_ name: String, _ syntax: Syntax) -> Term? {
        guard let binding = scope.bindings.first(where: { $0.name == name }) else { return nil }
        use(binding)
        let expression = binding.expression
        if let constant = expression.constant {
            return Term(type: expression.type, code: Code(constant), syntax: syntax)
        }
        // A path to a field needs no memory.
        if let field = expression.field {
            let address = FieldAddress(slot: field.slot, offset: field.offset)
            return Term(.fixed(address), field.type, syntax)
        }
        let (slot, number, compute, source) = (
            binding.slot, binding.number, expression.computation, binding.source
        )
        let operand = Operand<Value>.computing { frame throws(EvaluationFault) in
            do throws(EvaluationFault) {
                return unsafe try BindingMemory.at(frame.base(slot)).value(number) {
                    () throws(EvaluationFault) in
                    try compute(frame)
                }
            } catch {
                throw error.inside(source)
            }
        }
        return Term(
            type: expression.type, code: Code(unboxing: operand, as: expression.type, at: syntax.range),
            syntax: syntax)
    }
}

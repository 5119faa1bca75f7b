public import Diagnostics
public import Records

/// An expression in CEL, the Common Expression Language: parsed, checked against a scope and compiled once,
/// then evaluated as often as wanted, from any thread.
///
/// The text is at most 64 KiB long and nested at most 100 levels deep. All offsets in faults count UTF-8
/// bytes from the text's beginning.
public struct Expression: Sendable {
    /// The expression as written.
    public let text: String
    /// What kind of value it has.
    public let type: ExpressionType
    /// Its value, when it is made of constants alone.
    public let constant: Value?
    /// The slots of the frame that it reads.
    public let reads: Set<Int>

    private let term: Term
    private let scope: Scope
    private let computation: AnyComputation<Value>
    private let isMetered: Bool

    /// - Throws: `TextFault` for text that does not parse, names nothing in scope, or combines types that do
    ///   not go together, and for constants that fault whenever they are evaluated.
    public init(_ text: String, in scope: Scope) throws(TextFault) {
        var compiler = Compiler(text: text, scope: scope)
        term = try compiler.compile(try Parser.parse(text))
        (self.text, self.scope) = (text, scope)
        type = term.type
        constant = term.constant
        reads = compiler.reads
        isMetered = compiler.isMetered
        computation = Self.metered(
            term.code.boxed(at: term.range).computation, if: isMetered, after: scope.slotCount)
    }

    private static func metered<Computation: ScalarComputation>(
        _ computation: Computation, if isMetered: Bool, after count: Int
    ) -> Computation where Computation.Output.Computation == Computation {
        isMetered ? Computation(MeteredSource(source: computation, count: count)) : computation
    }

    /// The field that the expression is, when it is nothing but a path to one at a fixed place.
    public var field: FieldReference? {
        guard let stored = term.stored, let address = stored.place.fixed else { return nil }
        return FieldReference(slot: address.slot, offset: address.offset, type: stored.type)
    }

    /// The expression as a test.
    ///
    /// - Throws: `TextFault` when its type is not bool (or bool or null, which faults when it is null).
    public func predicate() throws(TextFault) -> Predicate {
        let compiler = Compiler(text: text, scope: scope)
        let test = try compiler.condition(term, for: "a condition").computation
        return Predicate(text: text, test: Self.metered(test, if: isMetered, after: scope.slotCount))
    }

    /// The expression as something to store in memory as a value of `type`.
    ///
    /// Any integer converts to any integer type, range-checked; an integer literal to `f32` and `f64`; `f64`
    /// rounds to `f32`; a member's name to an enumeration; a map literal with constant keys to a record, all
    /// fields required; a list element by element; null and `T` to `T?`, and `T?` to `T`, which faults when
    /// it is null. Each branch of `c ? a : b` converts for itself.
    ///
    /// - Throws: `TextFault` when the type does not convert, or a constant does not fit.
    public func store(as type: ValueType) throws(TextFault) -> Store {
        var compiler = Compiler(text: text, scope: scope)
        // What consists of parts that convert for themselves is compiled anew.
        let write =
            switch term.syntax.kind {
            case .conditional, .map, .list: try compiler.compileStore(term.syntax, as: type)
            default: try compiler.store(term, as: type)
            }
        return Store(
            text: text, reads: reads, field: field.flatMap { $0.type == type ? $0 : nil },
            write: isMetered ? write.metered(after: scope.slotCount) : write)
    }

    /// The value for these values of the scope's names, in their order (`Scope.untyped`).
    ///
    /// - Precondition: the scope is one without types, and there is a value for each of its names.
    /// - Throws: `EvaluationFault` when it has no value for these.
    public func evaluate(with values: [Value]) throws(EvaluationFault) -> Value {
        precondition(
            scope.isUntyped && values.count == scope.untyped.count, "each name of the scope has a value")
        return try Frame.withoutRecords(count: 0) { frame throws(EvaluationFault) in
            try frame.withValues(values, after: 0, computation.compute)
        }
    }

    /// The value for these records, each in its slot of the frame: what is evaluated once, such as a constant, wants.
    ///
    /// - Precondition: there is a record for each slot that it reads (`reads`).
    /// - Throws: `EvaluationFault` when it has no value for these.
    public func evaluate(with records: [Int: Record]) throws(EvaluationFault) -> Value {
        // Safe because the records live while the frame is in use, and the expression does not keep it.
        var table = unsafe [UnsafeRawPointer?](repeating: nil, count: scope.slotCount + 1)
        for (slot, record) in records where slot < scope.slotCount { unsafe table[slot] = record.unsafeBase }
        let result: Result<Value, EvaluationFault> = withExtendedLifetime(records) {
            unsafe table.withUnsafeBufferPointer { slots in
                do throws(EvaluationFault) {
                    return unsafe .success(try computation(Frame(slots.baseAddress!)))
                } catch {
                    return .failure(error)
                }
            }
        }
        return try result.get()
    }

    /// The value, boxed: what tests and tools want; running loops use `predicate` and `store`.
    ///
    /// - Throws: `EvaluationFault` when it has no value for these records.
    public func evaluate(_ frame: Frame) throws(EvaluationFault) -> Value { try computation(frame) }
}

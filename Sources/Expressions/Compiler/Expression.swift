public import Diagnostics
public import Records

/// An expression in CEL, the Common Expression Language. It is parsed, checked against a scope and compiled
/// once. Any thread may then evaluate it any number of times.
///
/// The text has at most 64 KiB and 100 levels of nesting. All offsets in faults count UTF-8 bytes from the
/// start of the text.
public struct Expression: Sendable {
    /// The expression as written.
    public let text: String
    /// The type of its value.
    public let type: ExpressionType
    /// Its value when it is made of constants alone, otherwise nil.
    public let constant: Value?
    /// What it reads of the frame.
    public let reads: FrameReads
    /// The numbers of the bindings that it uses, also through others.
    public let bindings: Set<Int>

    var syntax: Syntax { term.syntax }
    private let term: Term
    private let scope: Scope
    let computation: AnyComputation<Value>
    private let isMetered: Bool

    /// - Throws: `TextFault` for text that does not parse, for names that are not in scope, for types that do
    ///   not go together, and for constants that always fault.
    public init(_ text: String, in scope: Scope) throws(TextFault) {
        var compiler = Compiler(text: text, scope: scope)
        term = try compiler.compile(try Parser.parse(text))
        (self.text, self.scope) = (text, scope)
        type = term.type
        constant = term.constant
        (reads, bindings) = (compiler.reads, compiler.bindings)
        isMetered = compiler.isMetered
        computation = Self.metered(
            term.code.boxed(at: term.range).computation, if: isMetered, after: scope.slotCount)
    }

    private static func metered<Computation: ScalarComputation>(
        _ computation: Computation, if isMetered: Bool, after count: Int
    ) -> Computation where Computation.Output.Computation == Computation {
        isMetered ? Computation(MeteredSource(source: computation, count: count)) : computation
    }

    /// The field that the expression names, when it is only a path to a field at a fixed location; otherwise
    /// nil.
    public var field: FieldReference? {
        guard let stored = term.stored, let address = stored.location.fixed else { return nil }
        return FieldReference(slot: address.slot, offset: address.offset, type: stored.type)
    }

    /// The expression as a condition.
    ///
    /// - Throws: `TextFault` when its type is neither bool nor `bool or null`. The latter faults when it is
    ///   null.
    public func predicate() throws(TextFault) -> Predicate {
        let compiler = Compiler(text: text, scope: scope)
        let test = try compiler.condition(term, for: "a condition").computation
        return Predicate(text: text, test: Self.metered(test, if: isMetered, after: scope.slotCount))
    }

    /// The expression as a write of a value of `type` to memory. These values convert:
    ///
    /// - any integer to any integer type, range-checked
    /// - an integer literal to `f32` and `f64`, and `f64` to `f32` by rounding
    /// - a member's name to an enumeration
    /// - a map literal with constant keys to a record; all fields that are not optional are required
    /// - a list, element by element
    /// - null and `T` to `T?`
    /// - an optional of CEL to `T?`, which is null without a value
    /// - `T?` to `T`, which faults when it is null
    ///
    /// Each branch of `c ? a : b` converts separately, and so do both sides of `a.orValue(b)`.
    ///
    /// - Throws: `TextFault` when the type does not convert, or a constant does not fit.
    public func store(as type: ValueType) throws(TextFault) -> Store {
        var compiler = Compiler(text: text, scope: scope)
        // These consist of parts that convert separately, so they are compiled again.
        let write =
            switch term.syntax.kind {
            case .conditional, .map, .list, .call("orValue", _, _?, _):
                try compiler.compileStore(term.syntax, as: type)
            default: try compiler.store(term, as: type)
            }
        return Store(
            text: text, reads: reads, field: field.flatMap { $0.type == type ? $0 : nil },
            write: isMetered ? write.metered(after: scope.slotCount) : write)
    }

    /// The value for `values`, which are in the order of the scope's names (`Scope.untyped`).
    ///
    /// - Precondition: the scope has no types, and there is a value for each of its names.
    /// - Throws: `EvaluationFault` when the expression has no value for these.
    public func evaluate(with values: [Value]) throws(EvaluationFault) -> Value {
        precondition(
            scope.isUntyped && values.count == scope.untyped.count, "each name of the scope has a value")
        return try Frame.withoutRecords(count: 0) { frame throws(EvaluationFault) in
            try frame.withValues(values, after: 0, computation.compute)
        }
    }

    /// The value for these records, keyed by their slots. It suits an expression that is evaluated once, such
    /// as a constant.
    ///
    /// - Precondition: there is a record for each slot that the expression reads (`reads`).
    /// - Throws: `EvaluationFault` when the expression has no value for these.
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

    /// The value, boxed, for tests and tools. Running loops use `predicate` and `store`.
    ///
    /// - Throws: `EvaluationFault` when the expression has no value for these records.
    public func evaluate(_ frame: Frame) throws(EvaluationFault) -> Value { try computation(frame) }
}

import Diagnostics
import Records

/// A compiled part of an expression with its type.
struct Term: Sendable {
    let type: ExpressionType
    let code: Code
    let syntax: Syntax
    /// The location and type of a value in memory; nil for a computed value.
    let stored: StoredValue?

    /// A computed value.
    init(type: ExpressionType, code: Code, syntax: Syntax) {
        (self.type, self.code, self.syntax, stored) = (type, code, syntax, nil)
    }

    /// A value in memory.
    init(_ location: MemoryLocation, _ type: ValueType, _ syntax: Syntax) {
        (self.type, code, self.syntax) = (ExpressionType(type), Code(location, type), syntax)
        stored = StoredValue(location: location, type: type)
    }

    var range: Range<Int> { syntax.range }

    /// The value of a literal, or of a part made of constants alone; nil for all others.
    var constant: Value? { code.constant }

    /// The same term with another type, if it is an empty list or an optional without a value whose content has no
    /// type yet: the term takes the type that the other part of a choice has.
    func adapted(to type: ExpressionType) -> Term {
        switch (self.type, constant, type.wrapped) {
        case (.list(.dynamic), .list(let elements)?, .list) where elements.isEmpty: break
        case (.optionalValue(.dynamic), .optional(nil)?, .optionalValue): break
        default: return self
        }
        return Term(type: type.wrapped, code: code, syntax: syntax)
    }

    /// True for a literal. A literal number has conversions that a computed number does not have.
    var isLiteral: Bool { if case .literal = syntax.kind { true } else { false } }
}

/// A value in memory: its location and its type.
struct StoredValue: Sendable {
    let location: MemoryLocation
    let type: ValueType
}

/// Checks an expression against its scope and compiles it in one pass, bottom up.
struct Compiler {
    let text: String
    let scope: Scope
    /// What the expression reads of its frame.
    private(set) var reads = FrameReads()
    /// The field that is selected of the name that is being compiled; nil: the name is used as a whole.
    private var selectedField: String?
    /// The numbers of the bindings that the expression uses, also through others.
    private(set) var bindings: Set<Int> = []
    /// True when the evaluation needs a meter (`Frame.withMeter`).
    var isMetered = false
    /// The variables of the macros around the part that is being compiled, the innermost last.
    var locals: [Local] = []
    /// The slot of the next variable of a macro.
    var localSlot: Int { scope.slotCount + 1 + locals.count }
    // Above 0 where a fault may be absorbed or may never happen. A constant that faults there faults at
    // evaluation, not at load.
    private var conditionalDepth = 0

    init(text: String, scope: Scope) {
        (self.text, self.scope) = (text, scope)
        conditionalDepth = scope.isUntyped ? 1 : 0
    }

    /// Compiles a part of the expression. In a scope without types, a part that fails its checks faults at
    /// evaluation.
    mutating func compile(_ syntax: Syntax) throws(TextFault) -> Term {
        do throws(TextFault) { return try compileKind(syntax) } catch {
            guard scope.isUntyped else { throw error }
            let fault = EvaluationFault(error)
            let code = Code.boxed(.computing { _ throws(EvaluationFault) in throw fault })
            return Term(type: .dynamic, code: code, syntax: syntax)
        }
    }

    /// Compiles the record of which a field is selected.
    mutating func compile(_ operand: Syntax, selecting field: String) throws(TextFault) -> Term {
        guard case .identifier = operand.kind else { return try compile(operand) }
        selectedField = field
        defer { selectedField = nil }
        return try compile(operand)
    }

    mutating func compileKind(_ syntax: Syntax) throws(TextFault) -> Term {
        switch syntax.kind {
        case .literal(let value):
            let type: ExpressionType =
                switch value {
                case .bool: .bool
                case .int: .int
                case .uint: .uint
                case .double: .double
                case .string: .string
                case .bytes: .bytes
                default: .null
                }
            return Term(type: type, code: Code(value), syntax: syntax)
        case .identifier(let name, let isRoot): return try compileName(name, isRoot: isRoot, syntax)
        case .select(let operand, let field, let fieldRange):
            return try compileField(field, at: fieldRange, of: operand, syntax)
        case .presence(let operand, let field, let fieldRange):
            return try compilePresence(of: field, at: fieldRange, in: operand, syntax)
        case .index(let operand, let index): return try compileIndex(operand, index, syntax)
        case .call(let name, let nameRange, let target, let arguments):
            return try compileCall(name, at: nameRange, target, arguments, syntax)
        case .comprehension(let macro, let target, let names, let arguments):
            return try compileComprehension(macro, target, names, arguments, syntax)
        case .binding(let name, let value, let body): return try compileBinding(name, value, body, syntax)
        case .list(let elements): return try compileList(elements, syntax)
        case .map(let entries): return try compileMap(entries, syntax)
        case .negate(let operand): return try resolve("-", symbol: "-", [try compile(operand)], syntax)
        case .not(let operand): return try resolve("!", symbol: "!", [try compile(operand)], syntax)
        case .binary(let operation, let left, let right):
            return try compileBinary(operation, left, right, syntax)
        case .and(let left, let right):
            return try compileLogic(LogicFunction(decisive: false), "&&", left, right, syntax)
        case .or(let left, let right):
            return try compileLogic(LogicFunction(decisive: true), "||", left, right, syntax)
        case .conditional(let condition, let positive, let negative):
            return try compileConditional(condition, positive, negative, syntax)
        case .optionalSelect, .optionalIndex, .optionalMap, .optionalElement:
            return try compileOptionalKind(syntax)
        }
    }

    private mutating func compileBinary(
        _ operation: BinaryOperator, _ left: Syntax, _ right: Syntax, _ syntax: Syntax
    ) throws(TextFault) -> Term {
        let (first, second) = (try compile(left), try compile(right))
        switch operation {
        case .equal, .notEqual: return try compileEquality(operation, first, second, syntax)
        case .in:
            try checkMembership(first, in: second)
            return try resolve("in", symbol: "in", [first, second], syntax)
        default: return try resolve(operation.rawValue, symbol: operation.rawValue, [first, second], syntax)
        }
    }

    private mutating func compileName(
        _ name: String, isRoot: Bool, _ syntax: Syntax
    ) throws(TextFault) -> Term {
        if !isRoot, let local = local(name) { return local.term(syntax) }
        if let term = global(name, syntax) ?? binding(name, syntax) { return term }
        let names = locals.map(\.name) + scope.names
        throw TextFault(
            .unknownName, "unknown name `\(name)`", at: syntax.range,
            label: names.isEmpty ? "nothing is in scope" : "in scope: \(Self.listed(names))",
            help: Self.suggestion(for: name, among: names))
    }

    /// Notes a use of a binding.
    mutating func use(_ binding: Scope.Binding) {
        bindings.formUnion(binding.expression.bindings.union([binding.number]))
        reads.formUnion(binding.expression.reads)
        reads.insert(binding.slot)
    }

    func local(_ name: String) -> Local? { locals.last { $0.name == name } }

    /// Compiles a name of the scope or of a type. Either may have dots. A name of the scope hides the types
    /// that begin with it: a variable `net` hides `net.IP`.
    mutating func global(_ name: String, _ syntax: Syntax) -> Term? {
        if let variable = scope.variable(name) {
            reads.insert(variable.slot, field: selectedField)
            let location = MemoryLocation.fixed(FieldAddress(slot: variable.slot, offset: variable.offset))
            return Term(location, variable.type, syntax)
        }
        if let constant = scope.constants.first(where: { $0.name == name }) {
            return Term(constant.location, constant.type, syntax)
        }
        if let slot = scope.untypedSlot(name) {
            reads.insert(slot)
            return Term(
                type: .dynamic, code: .boxed(.field(FieldAddress(slot: slot, offset: 0))), syntax: syntax)
        }
        guard Overload.typeNames.contains(name),
            !scope.names.contains(where: { name.hasPrefix("\($0).") })
        else { return nil }
        return Term(type: .type, code: .boxed(.constant(.type(name))), syntax: syntax)
    }

    /// Runs `body` for a part where a fault may be absorbed or may never happen.
    mutating func conditionally<Result>(
        _ body: (inout Compiler) throws(TextFault) -> Result
    ) throws(TextFault) -> Result {
        conditionalDepth += 1
        defer { conditionalDepth -= 1 }
        return try body(&self)
    }

    /// True where a fault may be absorbed, may never happen, or counts only at evaluation.
    var isConditional: Bool { conditionalDepth > 0 }

    /// Replaces code by its value when its parts are constant.
    ///
    /// - Throws: when the code faults, unless the fault may be absorbed or may never happen.
    func folded(_ code: Code, of parts: [Term], _ syntax: Syntax) throws(TextFault) -> Code {
        guard code.constant == nil, parts.allSatisfy({ $0.constant != nil }) else { return code }
        let compute = code.boxed(at: syntax.range).computation.compute
        let (meter, count) = (meterSlot, frameCount)
        do throws(EvaluationFault) {
            let value = try Frame.withoutRecords(count: count) { frame throws(EvaluationFault) in
                // A constant within a macro takes steps too.
                count > meter ? try frame.withMeter(in: meter, of: count, compute) : try compute(frame)
            }
            // A boxed value stays boxed, because its type may be known only from the value.
            if case .boxed = code { return .boxed(.constant(value)) }
            return Code(value)
        } catch {
            guard conditionalDepth == 0 else { return code }
            throw TextFault(error.code, error.message, at: error.range)
        }
    }

    /// The operand of an operator or a part that needs a bool. `part` names it in the message.
    func condition(_ term: Term, for part: String) throws(TextFault) -> Operand<Bool> {
        switch term.type {
        case .bool: return term.code.boolOperand
        case .optional(.bool): return unwrapped(term).code.boolOperand
        case .dynamic:
            return Code(unboxing: term.code.boxed(at: term.range), as: .bool, at: term.range).boolOperand
        default:
            var help = term.type.isNumeric ? ["compare it, as in `\(source(term.range)) != 0`"] : []
            if case .optionalValue(.bool) = term.type { help = [valueHelp(term)] }
            let fault = TextFault(
                .wrongType, "\(part) needs bool, found \(term.type.name)", at: term.range, help: help)
            guard scope.isUntyped else { throw fault }
            let found = EvaluationFault(fault)
            return .computing { _ throws(EvaluationFault) in throw found }
        }
    }

    /// The value of an optional. Its evaluation faults when the optional is null.
    func unwrapped(_ term: Term) -> Term {
        guard case .optional(let type) = term.type else { return term }
        let (range, source) = (term.range, source(term.range))
        let fault = { @Sendable in EvaluationFault(.nullOperand, "`\(source)` is null", at: range) }
        if case .memory(let location, .optional(let wrapped)) = term.code {
            return Term(location.unwrapped(.optional(wrapped), fault: fault), wrapped, term.syntax)
        }
        let present = term.code.boxed(at: range).map { value throws(EvaluationFault) in
            guard value != .null else { throw fault() }
            return value
        }
        return Term(type: type, code: Code(unboxing: present, as: type, at: range), syntax: term.syntax)
    }

    /// A part of the expression as written, for messages.
    func source(_ range: Range<Int>) -> String {
        let bytes = text.utf8
        let start = bytes.index(bytes.startIndex, offsetBy: range.lowerBound)
        return String(decoding: bytes[start...].prefix(range.count), as: UTF8.self).abridged
    }

    /// Lists names for a label: the first twelve, each in backticks.
    static func listed(_ names: [String]) -> String {
        names.prefix(12).map { "`\($0)`" }.joined(separator: ", ")
            + (names.count > 12 ? " and \(names.count - 12) more" : "")
    }

    static func suggestion(for name: String, among names: some Sequence<String>) -> [String] {
        Suggestion.closest(to: name, among: names).map { ["did you mean `\($0)`?"] } ?? []
    }
}

import Diagnostics
import Records

extension Compiler {
    /// Compiles `&&` and `||`. A fault of one side is absorbed when the other side decides.
    mutating func compileLogic(
        _ function: LogicFunction, _ symbol: String, _ left: Syntax, _ right: Syntax, _ syntax: Syntax
    ) throws(TextFault) -> Term {
        let (first, second) = try conditionally { compiler throws(TextFault) in
            (try compiler.compile(left), try compiler.compile(right))
        }
        let part = "`\(symbol)`"
        let (a, b) = (try condition(first, for: part), try condition(second, for: part))
        let code = Code.bool(.combine(a, b, function))
        return Term(type: .bool, code: try folded(code, of: [first, second], syntax), syntax: syntax)
    }

    /// Compiles `condition ? positive : negative`.
    mutating func compileConditional(
        _ condition: Syntax, _ positive: Syntax, _ negative: Syntax, _ syntax: Syntax
    ) throws(TextFault) -> Term {
        let test = try compile(condition)
        let decision = try self.condition(test, for: "the condition before `?`")
        let branches = try conditionally { compiler throws(TextFault) in
            compiler.adapted([try compiler.compile(positive), try compiler.compile(negative)])
        }
        let first = branches[0].adapted(to: branches[1].type)
        let second = branches[1].adapted(to: branches[0].type)
        let type = first.type.joined(with: second.type)
        let code = Code(
            unboxing: Self.choice(decision.computation, first, second), as: type, at: syntax.range)
        let chosen = Self.choice(decision, first.code, second.code, at: syntax.range) ?? code
        return Term(type: type, code: try folded(chosen, of: [test, first, second], syntax), syntax: syntax)
    }

    private static func choice(_ decision: BoolComputation, _ first: Term, _ second: Term) -> Operand<Value> {
        let (positive, negative) = (
            first.code.boxed(at: first.range).computation, second.code.boxed(at: second.range).computation
        )
        return .computing { frame throws(EvaluationFault) in
            try decision(frame) ? try positive(frame) : try negative(frame)
        }
    }

    /// The choice between two operands of one kind without boxing; nil for two kinds.
    private static func choice(
        _ decision: Operand<Bool>, _ first: Code, _ second: Code, at range: Range<Int>
    ) -> Code? {
        func scalar<Output: Scalar>(_ first: Operand<Output>, _ second: Operand<Output>) -> Operand<Output> {
            .computed(
                Output.Computation(
                    ChoiceSource(
                        decision: decision.computation, first: first.computation, second: second.computation))
            )
        }
        func octets<Content>(_ first: Octets<Content>, _ second: Octets<Content>) -> Octets<Content> {
            let (decision, first, second) = (decision.computation, first.content, second.content)
            return .computed { frame throws(EvaluationFault) in
                try decision(frame) ? try first(frame) : try second(frame)
            }
        }
        switch (first, second) {
        case (.bool(let a), .bool(let b)): return .bool(scalar(a, b))
        case (.int(let a), .int(let b)): return .int(scalar(a, b))
        case (.uint(let a), .uint(let b)): return .uint(scalar(a, b))
        case (.double(let a), .double(let b)): return .double(scalar(a, b))
        case (.duration(let a), .duration(let b)): return .duration(scalar(a, b))
        case (.timestamp(let a), .timestamp(let b)): return .timestamp(scalar(a, b))
        case (.bytes(let a), .bytes(let b)): return .bytes(octets(a, b))
        case (.string, .string), (.string, .member), (.member, .string), (.member, .member):
            return .string(octets(first.text(at: range), second.text(at: range)))
        case (.memory(let a, let type), .memory(let b, let other)) where type == other:
            let decision = decision.computation
            // Safe because both locations hold a value of the type.
            return unsafe .memory(
                .computed { frame throws(EvaluationFault) in
                    unsafe try decision(frame) ? try a.pointer(in: frame) : try b.pointer(in: frame)
                }, type)
        default: return nil
        }
    }
}

/// `&&` (false decides) and `||` (true decides).
struct LogicFunction: BinaryFunction {
    typealias Left = Bool
    typealias Right = Bool
    typealias Output = Bool

    let decisive: Bool

    func compile(_ left: some Source<Bool>, _ right: some Source<Bool>) -> BoolComputation {
        // There are two closures, so that neither reads `decisive` at run time.
        guard decisive else {
            return BoolComputation { frame throws(EvaluationFault) in
                let value: Bool
                do throws(EvaluationFault) { value = try left(frame) } catch {
                    guard try right(frame) else { return false }
                    throw error
                }
                guard value else { return false }
                return try right(frame)
            }
        }
        return BoolComputation { frame throws(EvaluationFault) in
            let value: Bool
            do throws(EvaluationFault) { value = try left(frame) } catch {
                guard try !right(frame) else { return true }
                throw error
            }
            guard !value else { return true }
            return try right(frame)
        }
    }
}

/// `condition ? first : second` of one type.
private struct ChoiceSource<First: Source, Second: Source<First.Output>>: Source {
    let decision: BoolComputation
    let first: First
    let second: Second

    @inline(__always)
    func callAsFunction(_ frame: Frame) throws(EvaluationFault) -> First.Output {
        try decision(frame) ? try first(frame) : try second(frame)
    }
}

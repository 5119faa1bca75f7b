import Diagnostics
import Records

extension Compiler {
    /// Compiles `target.all(name, test)` and the other macros.
    mutating func compileComprehension(
        _ macro: Macro, _ target: Syntax, _ name: String, _ arguments: [Syntax], _ syntax: Syntax
    ) throws(TextFault) -> Term {
        let range = unwrapped(try compile(target))
        isMetered = true
        let slot = scope.slotCount + 1 + locals.count
        let (content, elements) = try elements(of: range, macro)
        let local = Local(name: name, slot: slot, content: content)
        let iteration = Iteration(elements: elements, slot: slot, meter: meterSlot, range: range.range)
        locals.append(local)
        defer { locals.removeLast() }
        let terms = try conditionally { compiler throws(TextFault) in
            var terms: [Term] = []
            for argument in arguments { terms.append(try compiler.compile(argument)) }
            return terms
        }
        switch macro {
        case .all, .exists, .existsOne:
            let test = try condition(terms[0], for: "`\(macro.rawValue)`").computation
            let code = macro == .existsOne ? iteration.one(test) : iteration.any(macro == .exists, test)
            return Term(type: .bool, code: .bool(code), syntax: syntax)
        case .filter:
            let test = try condition(terms[0], for: "`filter`").computation
            let element = metered(local.term(syntax))
            return iteration.list(of: element, if: test, syntax)
        case .map:
            let test = terms.count == 1 ? nil : try condition(terms[0], for: "`map`").computation
            return iteration.list(of: metered(terms[terms.count - 1]), if: test, syntax)
        }
    }

    private func elements(
        of range: Term, _ macro: Macro
    ) throws(TextFault) -> (Local.Content, Iteration.Elements) {
        switch (range.type, range.code) {
        case (.list, .memory(let location, let type)):
            switch type {
            case .list(let element), .array(let element, _):
                return (.stored(element), .memory(location, type))
            default: preconditionFailure("only lists and arrays are lists in memory")
            }
        case (.list(let type), let code), (.map(let type, _), let code):
            return (.boxed(type), .boxed(code.boxed(at: range.range).computation))
        case (.dynamic, let code):
            return (.boxed(.dynamic), .boxed(code.boxed(at: range.range).computation))
        default:
            throw TextFault(
                .wrongType, "`\(macro.rawValue)` needs a list or a map, found \(range.type.name)",
                at: range.range)
        }
    }
}

extension Iteration {
    /// The macro `exists` (true decides) or `all` (false decides). A fault counts only when no element
    /// decides.
    fileprivate func any(_ decisive: Bool, _ test: BoolComputation) -> Operand<Bool> {
        .computing { frame throws(EvaluationFault) in
            var isDecided = false
            var fault: EvaluationFault?
            try forEach(frame) { frame throws(EvaluationFault) in
                do throws(EvaluationFault) {
                    isDecided = try test(frame) == decisive
                } catch {
                    fault = fault ?? error
                }
                return !isDecided
            }
            if let fault, !isDecided { throw fault }
            return isDecided == decisive
        }
    }

    fileprivate func one(_ test: BoolComputation) -> Operand<Bool> {
        .computing { frame throws(EvaluationFault) in
            var count = 0
            try forEach(frame) { frame throws(EvaluationFault) in
                if try test(frame) { count += 1 }
                return true
            }
            return count == 1
        }
    }

    fileprivate func list(of element: Term, if test: BoolComputation?, _ syntax: Syntax) -> Term {
        let compute = element.code.boxed(at: element.range).computation
        let code = Code.boxed(
            .computing { frame throws(EvaluationFault) in
                var values: [Value] = []
                try forEach(frame) { frame throws(EvaluationFault) in
                    if let test, try !test(frame) { return true }
                    values.append(try compute(frame))
                    return true
                }
                return .list(values)
            })
        return Term(type: .list(element.type), code: code, syntax: syntax)
    }
}

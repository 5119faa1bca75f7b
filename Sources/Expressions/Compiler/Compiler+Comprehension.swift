import Diagnostics
import Records

extension Compiler {
    /// Compiles `target.all(name, test)` and the other macros.
    mutating func compileComprehension(
        _ macro: Macro, _ target: Syntax, _ names: [String], _ arguments: [Syntax], _ syntax: Syntax
    ) throws(TextFault) -> Term {
        let range = unwrapped(try compile(target))
        isMetered = true
        let slot = localSlot
        let (contents, elements) = try elements(of: range, macro, hasPosition: names.count == 2)
        let iteration = Iteration(
            elements: elements, slot: slot, hasPosition: names.count == 2, meter: meterSlot,
            range: range.range)
        let variables = zip(names, contents).enumerated().map { index, variable in
            Local(name: variable.0, slot: slot + index, content: variable.1)
        }
        locals += variables
        defer { locals.removeLast(variables.count) }
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
            let element = metered(variables[0].term(syntax))
            return iteration.list(of: element, if: test, syntax)
        case .sortBy:
            let element = metered(variables[0].term(syntax))
            return iteration.list(of: element, by: metered(terms[0]), syntax)
        case .map, .transformList, .transformMap, .transformMapEntry:
            let name = "`\(macro.rawValue)`"
            let test = terms.count == 1 ? nil : try condition(terms[0], for: name).computation
            let value = metered(terms[terms.count - 1])
            switch macro {
            case .transformMap:
                return iteration.map(of: variables[0].term(syntax), value, if: test, syntax)
            case .transformMapEntry: return try iteration.map(ofEntries: value, if: test, syntax)
            default: return iteration.list(of: value, if: test, syntax)
            }
        }
    }

    /// Compiles `cel.bind(name, value, body)`.
    mutating func compileBinding(
        _ name: String, _ value: Syntax, _ body: Syntax, _ syntax: Syntax
    ) throws(TextFault) -> Term {
        let (bound, slot) = (metered(try compile(value)), localSlot)
        let result = try compile(body, with: name, of: bound.type)
        let (compute, computeResult) = (
            bound.code.boxed(at: bound.range).computation, result.code.boxed(at: result.range).computation
        )
        let operand = Operand<Value>.computing { frame throws(EvaluationFault) in
            try frame.withValues([try compute(frame)], after: slot, computeResult.compute)
        }
        return Term(
            type: result.type, code: Code(unboxing: operand, as: result.type, at: syntax.range),
            syntax: syntax)
    }

    /// Compiles a part in which a name stands for the boxed value in the next slot (`localSlot`).
    mutating func compile(
        _ body: Syntax, with name: String, of type: ExpressionType
    ) throws(TextFault) -> Term {
        isMetered = true
        locals.append(Local(name: name, slot: localSlot, content: .boxed(type)))
        defer { locals.removeLast() }
        return try compile(body)
    }

    /// The contents of the variables, and the elements.
    ///
    /// - Parameter hasPosition: whether the first variable is the index or the key, and the second one the value.
    private func elements(
        of range: Term, _ macro: Macro, hasPosition: Bool
    ) throws(TextFault) -> ([Local.Content], Iteration.Elements) {
        func boxed(_ code: Code) -> Iteration.Elements { .boxed(code.boxed(at: range.range).computation) }
        let index: [Local.Content] = hasPosition ? [.boxed(.int)] : []
        switch (range.type, range.code) {
        case (.list, .memory(let location, let type)):
            switch type {
            case .list(let element), .array(let element, _):
                return (index + [.stored(element)], .memory(location, type))
            default: preconditionFailure("only lists and arrays are lists in memory")
            }
        case (.list(let type), let code): return (index + [.boxed(type)], boxed(code))
        case (.map(let key, let value), let code):
            return (hasPosition ? [.boxed(key), .boxed(value)] : [.boxed(key)], boxed(code))
        case (.dynamic, let code): return ([.boxed(.dynamic), .boxed(.dynamic)], boxed(code))
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

    /// The elements in the order of their keys.
    fileprivate func list(of element: Term, by key: Term, _ syntax: Syntax) -> Term {
        let (compute, computeKey, range) = (
            element.code.boxed(at: element.range).computation, key.code.boxed(at: key.range).computation,
            key.range
        )
        let code = Code.boxed(
            .computing { frame throws(EvaluationFault) in
                var (values, keys): ([Value], [Value]) = ([], [])
                try forEach(frame) { frame throws(EvaluationFault) in
                    keys.append(try computeKey(frame))
                    values.append(try compute(frame))
                    return true
                }
                return .list(try Overload.order(of: keys, "sortBy", at: range).map { values[$0] })
            })
        return Term(type: .list(element.type), code: code, syntax: syntax)
    }

    fileprivate func map(of key: Term, _ value: Term, if test: BoolComputation?, _ syntax: Syntax) -> Term {
        let (computeKey, compute) = (
            key.code.boxed(at: key.range).computation, value.code.boxed(at: value.range).computation
        )
        let code = Code.boxed(
            .computing { frame throws(EvaluationFault) in
                var entries: [Value.MapEntry] = []
                try forEach(frame) { frame throws(EvaluationFault) in
                    if let test, try !test(frame) { return true }
                    entries.append(Value.MapEntry(key: try computeKey(frame), value: try compute(frame)))
                    return true
                }
                return .map(entries)
            })
        return Term(type: .map(key: key.type, value: value.type), code: code, syntax: syntax)
    }

    /// A map of the entries of the maps that a part computes.
    fileprivate func map(
        ofEntries entries: Term, if test: BoolComputation?, _ syntax: Syntax
    ) throws(TextFault) -> Term {
        let range = entries.range
        @Sendable func message(_ found: String) -> String {
            "`transformMapEntry` needs a map as its value, found \(found)"
        }
        switch entries.type {
        case .map, .dynamic: break
        default: throw TextFault(.wrongType, message(entries.type.name), at: range)
        }
        let compute = entries.code.boxed(at: range).computation
        let code = Code.boxed(
            .computing { frame throws(EvaluationFault) in
                var (map, seen): ([Value.MapEntry], Set<Value>) = ([], [])
                try forEach(frame) { frame throws(EvaluationFault) in
                    if let test, try !test(frame) { return true }
                    let value = try compute(frame)
                    guard case .map(let found) = value else {
                        throw EvaluationFault(.wrongDynamicType, message(value.kind), at: range)
                    }
                    for entry in found {
                        try Compiler.insert(entry.key, in: &seen, at: range)
                        map.append(entry)
                    }
                    return true
                }
                return .map(map)
            })
        let type = entries.type == .dynamic ? .map(key: .dynamic, value: .dynamic) : entries.type
        return Term(type: type, code: code, syntax: syntax)
    }
}

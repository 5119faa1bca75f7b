import Diagnostics
import Records

extension Compiler {
    /// Compiles a call of a function, or of a method of `target`.
    mutating func compileCall(
        _ name: String, at nameRange: Range<Int>, _ target: Syntax?, _ arguments: [Syntax], _ syntax: Syntax
    ) throws(TextFault) -> Term {
        if let target, let namespace = path(of: target), Overload.namespaces.contains(namespace),
            !scope.names.contains(namespace)
        {
            return try compileCall("\(namespace).\(name)", at: nameRange, nil, arguments, syntax)
        }
        let key = target == nil ? name : "." + name
        var terms: [Term] = []
        if let target {
            // A name that is not known matters more than what is wrong with the call.
            let isName = if case .identifier = target.kind { true } else { false }
            terms.append(isName ? try compileKind(target) : try compile(target))
        }
        guard Overload.table[key] != nil else {
            try checkMacro(name, arguments.count, isMethod: target != nil, syntax)
            throw unknownFunction(name, at: nameRange, isMethod: target != nil)
        }
        if Overload.alternatives.contains(key) {
            return try compileAlternative(key, symbol: name, terms, arguments, syntax)
        }
        for argument in arguments { terms.append(try compile(argument)) }
        try checkArguments(key, symbol: name, terms, syntax)
        if !locals.isEmpty, Overload.readsText(key), terms.count > 1 {
            terms[1] = meteredReading(terms[1])
        }
        if Overload.folding.contains(key), terms.count > 2 {
            var extreme = terms[0]
            for term in terms.dropFirst() {
                extreme = try resolve(key, symbol: name, [extreme, term], syntax)
            }
            return extreme
        }
        let result = try resolve(key, symbol: name, terms, syntax)
        return Overload.making.contains(key) ? metered(result) : result
    }

    /// Reports faults at load that the types of the parameters do not show: a list of values that are no
    /// optionals, and a constant pattern or replacement that is not valid.
    @inline(never)
    private func checkArguments(
        _ key: String, symbol: String, _ terms: [Term], _ syntax: Syntax
    ) throws(TextFault) {
        if Overload.unwraps(key), terms.count == 1, case .list(let element) = terms[0].type {
            switch element {
            case .optionalValue, .dynamic: break
            default: throw noOverload(key, symbol, terms, syntax)
            }
        }
        guard Overload.takesPattern(key), terms.count > 1, !isConditional,
            case .string(let pattern)? = terms[1].constant
        else { return }
        do throws(EvaluationFault) {
            let regex = try Regex(pattern, mostGroups: Overload.mostGroups(key), at: terms[1].range)
            guard key == Overload.replace, terms.count > 2, case .string(let text)? = terms[2].constant else {
                return
            }
            _ = try Replacement(text, groups: regex.groupCount, at: terms[2].range)
        } catch {
            throw error.textFault
        }
    }

    /// Chooses the overload for these arguments and compiles it.
    func resolve(
        _ key: String, symbol: String, _ arguments: [Term], _ syntax: Syntax
    ) throws(TextFault) -> Term {
        let overloads = Overload.table[key, default: []]
        var terms = adapted(arguments)
        if !locals.isEmpty, !Overload.skimming.contains(key) { terms = terms.map { metered($0) } }
        var types = terms.map(\.type)
        var fitting = overloads.first { $0.accepts(types) }
        // An overload that takes null has priority. All others need the values of optionals.
        if fitting == nil, types.contains(where: \.isOptional) {
            terms = terms.map { unwrapped($0) }
            types = terms.map(\.type)
            fitting = overloads.first { $0.accepts(types) }
        }
        if let fitting {
            let type = fitting.result(types)
            var code = fitting.build(terms.map(\.code), syntax.range, meter)
            if case .boxed(let value) = code { code = Code(unboxing: value, as: type, at: syntax.range) }
            return Term(type: type, code: try folded(code, of: terms, syntax), syntax: syntax)
        }
        let candidates = overloads.filter { overload in
            overload.takes(terms.count)
                && zip(overload.parameters, terms).allSatisfy { $1.type == .dynamic || $0.accepts($1.type) }
        }
        guard !candidates.isEmpty else { throw noOverload(key, symbol, terms, syntax) }
        let results = candidates.map { $0.result(types) }
        let type = results.allSatisfy { $0 == results[0] } ? results[0] : .dynamic
        let call = dynamicCall(candidates, symbol, terms, syntax)
        let code = Code(unboxing: call, as: type, at: syntax.range)
        return Term(type: type, code: try folded(code, of: terms, syntax), syntax: syntax)
    }

    /// Makes a uint of an int literal that is not negative when the other operand is a uint. CEL does not do
    /// that.
    func adapted(_ terms: [Term]) -> [Term] {
        guard !scope.isUntyped, terms.count == 2,
            terms.contains(where: { $0.type.wrapped == .uint || $0.type == .optionalValue(.uint) })
        else { return terms }
        return terms.map { term in
            guard term.isLiteral, case .int(let value)? = term.constant,
                value >= 0
            else { return term }
            return Term(type: .uint, code: .uint(.constant(UInt64(value))), syntax: term.syntax)
        }
    }

    /// A call that chooses its overload by the values. The values are boxed in slots after those of the
    /// scope, and the overloads read them there.
    private func dynamicCall(
        _ overloads: [Overload], _ symbol: String, _ arguments: [Term], _ syntax: Syntax
    ) -> Operand<Value> {
        let (range, count, meter) = (syntax.range, frameCount, meter)
        let candidates = overloads.map { overload in
            let codes = overload.parameters.enumerated().map { index, type in
                Code(unboxing: .field(FieldAddress(slot: count + index, offset: 0)), as: type, at: range)
            }
            return (overload.parameters, overload.build(codes, range, meter).boxed(at: range).computation)
        }
        let values = arguments.map { $0.code.boxed(at: $0.range).computation }
        return .computing { frame throws(EvaluationFault) in
            var boxed: [Value] = []
            for value in values { boxed.append(try value(frame)) }
            for (parameters, compute) in candidates where zip(parameters, boxed).allSatisfy({ $0.holds($1) })
            {
                return try frame.withValues(boxed, after: count, compute.compute)
            }
            let kinds = boxed.map(\.kind).joined(separator: " and ")
            throw EvaluationFault(.wrongDynamicType, "`\(symbol)` does not take \(kinds)", at: range)
        }
    }

    /// Reports a macro with another number of arguments than it has.
    private func checkMacro(
        _ name: String, _ count: Int, isMethod: Bool, _ syntax: Syntax
    ) throws(TextFault) {
        let counts: ClosedRange<Int>?
        if isMethod {
            let isOfOptionals = OptionalMacro(rawValue: name) != nil
            let count = OptionalMacro.argumentCount
            counts = isOfOptionals ? count...count : Macro(name: name)?.argumentCounts
        } else {
            counts = name == Macro.binding ? 3...3 : nil
        }
        guard let counts else { return }
        let wanted = Set([counts.lowerBound, counts.upperBound]).sorted().map(String.init)
        throw TextFault(
            .noOverload, "`\(name)` takes \(wanted.joined(separator: " or ")) arguments, not \(count)",
            at: syntax.range)
    }

    private func unknownFunction(_ name: String, at range: Range<Int>, isMethod: Bool) -> TextFault {
        let names = Overload.table.keys.sorted()
        let functions = names.filter { $0.first!.isLetter && $0 != "in" } + [Macro.binding]
        let methods = names.filter { $0.hasPrefix(".") }.map { String($0.dropFirst()) }
        if (isMethod ? functions : methods).contains(name) {
            let right = isMethod ? "\(name)(…)" : "….\(name)(…)"
            return TextFault(
                .unknownFunction, "`\(name)` is \(isMethod ? "not a" : "a") method", at: range,
                help: ["write `\(right)`"])
        }
        // After a namespace, only its functions are listed. Otherwise only functions without a namespace are
        // listed.
        let namespace = name.firstIndex(of: ".").map { name[...$0] }
        let known =
            isMethod
            ? methods
            : functions.filter { function in
                if let namespace { function.hasPrefix(namespace) } else { !function.contains(".") }
            }
        return TextFault(
            .unknownFunction, "unknown \(isMethod ? "method" : "function") `\(name)`", at: range,
            label: "known \(isMethod ? "methods" : "functions"): \(Self.listed(known))",
            help: Self.suggestion(for: name, among: known))
    }

    func noOverload(
        _ key: String, _ symbol: String, _ arguments: [Term], _ syntax: Syntax
    ) -> TextFault {
        let all = Overload.table[key, default: []]
        // The user does not write a method's target as an argument.
        let targets = key.hasPrefix(".") ? 1 : 0
        if let count = all.first?.parameters.count,
            !all.contains(where: { $0.takes(arguments.count) })
        {
            let (wanted, given) = (count - targets, arguments.count - targets)
            return TextFault(
                .noOverload,
                "`\(symbol)` takes \(wanted) argument\(wanted == 1 ? "" : "s"), not \(given)",
                at: syntax.range)
        }
        let types = arguments.map(\.type.name).joined(separator: " and ")
        return TextFault(
            .noOverload, "`\(symbol)` does not take \(types)", at: syntax.range,
            help: overloadHelp(key, arguments))
    }

    private func overloadHelp(_ key: String, _ arguments: [Term]) -> [String] {
        if key == Overload.orValue, arguments.count == 2 {
            return conversionHelp(arguments[1], for: arguments[0].type.content)
        }
        let takesOptionals = Overload.table[key, default: []].contains { overload in
            overload.parameters.contains(where: \.isOptionalValue)
        }
        if !takesOptionals, let optional = arguments.first(where: \.type.isOptionalValue) {
            return [valueHelp(optional)]
        }
        if let address = arguments.first(where: { $0.type == .ip || $0.type == .cidr }),
            Overload.network[key] == nil
        {
            return ["write `string(\(source(address.range)))`"]
        }
        return arguments.count == 2 && !key.hasPrefix(".") ? conversionHelp(arguments[0], arguments[1]) : []
    }

    /// The help on how to use an optional where its value is needed.
    func valueHelp(_ optional: Term) -> String { "write `\(source(optional.range)).orValue(…)`" }

    /// The help on how to give two operands the same type.
    func conversionHelp(_ left: Term, _ right: Term) -> [String] {
        let help = conversionHelp(left, for: right.type)
        return help.isEmpty ? conversionHelp(right, for: left.type) : help
    }

    /// The help on how to make a value of `type` of an operand.
    private func conversionHelp(_ term: Term, for type: ExpressionType) -> [String] {
        let text = source(term.range)
        return switch (term.type, type) {
        case (.int, .double): [term.isLiteral ? "write `\(text).0`" : "write `double(\(text))`"]
        case (.uint, .double): ["write `double(\(text))`"]
        case (.uint, .int): ["write `int(\(text))`"]
        case (.int, .string), (.uint, .string), (.double, .string), (.bool, .string):
            ["write `string(\(text))`"]
        case (.string, .duration), (.string, .timestamp): ["write `\(type.name)(\(text))`"]
        case (.string, .ip): ["write `ip(\(text))`"]
        case (.string, .cidr): ["write `cidr(\(text))`"]
        default: []
        }
    }
}

extension Overload {
    /// True when arguments of these types need no conversion.
    func accepts(_ types: [ExpressionType]) -> Bool {
        parameters.count == types.count && types.indices.allSatisfy { parameters[$0].accepts(types[$0]) }
    }

    /// True when the overload has this number of parameters.
    func takes(_ count: Int) -> Bool { parameters.count == count }
}

extension ExpressionType {
    /// True when a parameter of this type accepts a boxed value.
    fileprivate func holds(_ value: Value) -> Bool {
        switch (self, value) {
        case (.dynamic, _), (.list, .list), (.map, .map), (.optionalValue, .optional): true
        default: name == value.kind
        }
    }
}

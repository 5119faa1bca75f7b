import Diagnostics
import Expressions
import Interfaces
import Records

extension FeedbackDecoder {
    /// One of `args`.
    enum Argument {
        /// An expression or constant.
        case expression(TOMLNode)
        /// An out-parameter, with the node of `inout` if it has one.
        case out(CallArgument, TOMLNode?)
        /// A function pointer whose calls the host answers.
        case callback(CallbackDraft)
        /// An argument with a reported fault.
        case faulty
    }

    /// The arguments of `args`, in the order of the parameters.
    ///
    /// - Parameters:
    ///   - effect: has the names of the parameters; without it, named arguments are in the order of the file.
    ///   - emissions: reads the events of callbacks.
    func arguments(of effect: ManifestDecoder.Effect?, _ emissions: EmissionDecoder) -> [Argument] {
        guard let args = table.value("args") else { return table.isRefused("args") ? [.faulty] : [] }
        if args.kind == .table { return namedArguments(of: effect, emissions) }
        return args.oneOrSeveral.enumerated().map { argument($1, at: "[\($0)]", emissions) }
    }

    private func namedArguments(
        of effect: ManifestDecoder.Effect?, _ emissions: EmissionDecoder
    ) -> [Argument] {
        let given = table.table("args", .arguments)?.named ?? []
        func argument(_ entry: TOMLEntry) -> Argument {
            self.argument(entry.value, at: ".\(entry.key)", emissions)
        }
        guard let function = effect?.function else { return given.map(argument) }
        let names = function.ownParameters.map(\.name)
        let ordered = names.compactMap { name in given.first { $0.key == name } }
        guard ordered.count == names.count, ordered.count == given.count else {
            report(given, function, names)
            return given.map(argument) + [.faulty]
        }
        return ordered.map(argument)
    }

    /// Reports the names that the function does not have, or else the parameters without an argument.
    private func report(_ given: [TOMLEntry], _ function: CFunction, _ names: [String]) {
        let unknown = given.filter { !names.contains($0.key) }
        for entry in unknown { reportUnknown(entry, function, names) }
        guard unknown.isEmpty else { return }
        let missing = names.filter { name in !given.contains { $0.key == name } }
        collector.add(
            Diagnostic(
                .error, .argumentCount, "`args` lacks \(missing.quoted)", at: table.span(of: "args"),
                notes: ["it is declared `\(function.text)`"]))
    }

    private func reportUnknown(_ entry: TOMLEntry, _ function: CFunction, _ names: [String]) {
        let describesAnArgument = ManifestTable.argument.field(entry.key) != nil
        collector.add(
            Diagnostic(
                .error, ManifestCode.unknownKey.code, "`\(function.name)` has no parameter `\(entry.key)`",
                at: entry.keySpan,
                label: names.isEmpty ? "" : "expected one of \(names.quoted)",
                notes: ["it is declared `\(function.text)`"],
                help: describesAnArgument
                    ? ["an argument without a name stands in a list: `args = [{ \(entry.key) = … }]`"]
                    : [names.suggestion(for: entry.key)].compactMap(\.self)))
    }

    /// - Parameter place: where it is in `args`, for messages: `[0]`, or `.NAME`.
    private func argument(_ node: TOMLNode, at place: String, _ emissions: EmissionDecoder) -> Argument {
        guard ["out", "inout", "callback"].contains(where: { node.entry($0) != nil }) else {
            return manifest.expressionText(node) == nil ? .faulty : .expression(node)
        }
        let reader = TableReader(
            node, .argument, path: "\(table.path).args\(place)", keySpan: node.span, parent: nil,
            collector: collector)
        guard node.entry("callback") == nil else {
            return callback(reader, emissions).map(Argument.callback) ?? .faulty
        }
        return outParameter(reader)
    }

    private func outParameter(_ reader: TableReader) -> Argument {
        var count: Int?
        if let node = reader.value("out") {
            guard case .integer(let number) = node.content else { return .faulty }
            count = Int(clamping: number)
        }
        let beginning = reader.value("inout")
        guard count != nil || beginning != nil else { return .faulty }
        let form = reader.word("as", as: OutWord.self)
        let used = reader.string("used")
        if used != nil, form != .bytes {
            collector.error(
                .conflictingKeys, "`used` needs `as = \"bytes\"`", at: reader.span(of: "used"),
                help: ["without it, text ends at its first NUL, and all elements are read"])
            return .faulty
        }
        if reader.value("as") != nil, form == nil { return .faulty }
        let read: CallArgument.OutForm =
            switch form {
            case nil: .elements
            case .string: .string
            case .bytes: .bytes(used: used)
            }
        guard let beginning else { return .out(.out(count: count ?? 1, as: read), nil) }
        guard manifest.expressionText(beginning) != nil else { return .faulty }
        return .out(.inOut(count: count, as: read), beginning)
    }

    /// The checked call of the function with these arguments; nil after a report.
    func call(
        of effect: ManifestDecoder.Effect, _ arguments: [Argument], at span: SourceSpan
    ) -> EffectCall.Key? {
        var given: [CallArgument] = []
        for argument in arguments {
            switch argument {
            case .expression(let node):
                given.append(node.string == "null" && effect.takesNull(at: given.count) ? .null : .input)
            case .out(let out, _): given.append(out)
            case .callback(let draft): given.append(.callback(counts: draft.counts))
            case .faulty: return nil
            }
        }
        let call = EffectCall.Key(provider: effect.provider, effect: effect.name, arguments: given)
        if manifest.calls[call] != nil { return call }
        do {
            manifest.calls[call] = EffectCall(
                signature: try CallSignature(effect.function, arguments: given))
            return call
        } catch {
            let argument = error.argument.flatMap { node(ofArgument: $0, of: effect.function) }
            collector.add(
                Diagnostic(
                    .error, error.code, error.message,
                    at: (argument ?? table.value("args"))?.span ?? span,
                    notes: ["it is declared `\(effect.function.text)`"], help: error.help))
            return nil
        }
    }

    private func node(ofArgument index: Int, of function: CFunction) -> TOMLNode? {
        guard let args = table.value("args") else { return nil }
        if args.kind == .table { return args.entry(function.ownParameters[index].name)?.value }
        return args.oneOrSeveral.dropFirst(index).first
    }

    /// The input arguments, each compiled for every variant of the scope. It leaves out arguments with a
    /// reported fault.
    func decodeArguments(
        _ arguments: [Argument], _ signature: CallSignature, in scope: ExpressionScope
    ) -> [[ArgumentModel]] {
        var models: [[ArgumentModel]] = []
        let own = signature.parameters.indices.dropFirst(signature.function.hostParameters)
        for (parameter, argument) in zip(own, arguments) {
            guard let node = argument.node, let input = signature.parameters[parameter].passing.input else {
                continue
            }
            let type = signature.inputs.fields[input].type
            guard let expression = manifest.expressionText(node, as: type) else { continue }
            let isFunction = signature.parameters[parameter].type.pointedFunction != nil
            let compiled = manifest.compile(expression, in: scope) { compiled throws(TextFault) in
                do throws(TextFault) {
                    return ArgumentModel(
                        parameter: parameter, input: input, source: try Self.source(compiled, as: type),
                        reads: compiled.reads, text: expression.text)
                } catch { throw isFunction ? Self.needsCallback(error) : error }
            }
            if let compiled { models.append(compiled) }
        }
        return models
    }

    /// The fault of an expression that is no pointer, for a parameter that is a function pointer.
    private static func needsCallback(_ fault: TextFault) -> TextFault {
        TextFault(
            fault.code, fault.message, at: fault.range, label: fault.label,
            help: ["to answer the calls of a function pointer, write `{ callback = \"…\" }`"])
    }

    private static func source(
        _ expression: Expression, as type: ValueType
    ) throws(TextFault) -> ArgumentModel.Source {
        if let field = expression.field, field.type == type, field.slot != FrameSlot.now.rawValue {
            return .field(field)
        }
        return .store(try expression.store(as: type))
    }
}

extension FeedbackDecoder.Argument {
    /// The node of the input value; nil if there is none.
    var node: TOMLNode? {
        switch self {
        case .expression(let node): node
        case .out(_, let node): node
        case .callback, .faulty: nil
        }
    }
}

extension ManifestDecoder.Effect {
    /// True if the argument may be `null`: its parameter is a pointer of a function from `declares`. An
    /// effect with a description in its plugin's note never receives a null pointer.
    fileprivate func takesNull(at argument: Int) -> Bool {
        guard description == nil, function.parameters.indices.contains(argument) else { return false }
        if case .pointer = function.parameters[argument].type { return !function.isEmitting }
        return false
    }
}

import Diagnostics
import Expressions
import Interfaces
import Records

extension FeedbackDecoder {
    /// A callback before its expressions are compiled.
    struct CallbackDraft {
        let counts: [String: CallArgument.Count]
        /// The expression of the result; nil for zero.
        fileprivate let result: TOMLNode?
        fileprivate let fallback: TOMLNode?
        fileprivate let emit: [EmissionDecoder.Draft]
    }

    /// Reads `{ callback = … }`; nil after a report.
    func callback(_ argument: TableReader, _ emissions: EmissionDecoder) -> CallbackDraft? {
        guard let node = argument.value("callback") else { return nil }
        for other in ["out", "inout", "as", "used"] {
            guard let span = argument.span(of: other) else { continue }
            collector.error(
                .conflictingKeys, "`callback` and `\(other)` exclude one another", at: span,
                help: ["remove one of them"])
            return nil
        }
        guard node.kind == .table else {
            return CallbackDraft(counts: [:], result: node, fallback: nil, emit: [])
        }
        guard let table = argument.table("callback", .callback) else { return nil }
        let errorsBefore = collector.errorCount
        var counts: [String: CallArgument.Count] = [:]
        for entry in table.table("counts", .callbackCounts)?.named ?? [] {
            switch entry.value.content {
            case .integer(let number): counts[entry.key] = .fixed(Int(clamping: number))
            case .string(let name): counts[entry.key] = .parameter(name)
            default: break
            }
        }
        let emit = table.value("emit").map { emissions.entries($0, of: "emit", in: table) } ?? []
        guard collector.errorCount == errorsBefore else { return nil }
        return CallbackDraft(
            counts: counts, result: table.value("result"), fallback: table.value("on-fault"),
            emit: emit)
    }

    /// The callbacks, each compiled for every variant of the scope. It leaves out callbacks with a reported
    /// fault.
    func decodeCallbacks(
        _ arguments: [Argument], _ signature: CallSignature, _ emissions: EmissionDecoder,
        in scope: ExpressionScope
    ) -> [[CallbackModel]] {
        let own = signature.parameters.indices.dropFirst(signature.function.hostParameters)
        return zip(own, arguments).compactMap { parameter, argument in
            guard case .callback(let draft) = argument,
                case .callback(let callback) = signature.parameters[parameter].passing
            else { return nil }
            return decode(draft, callback, parameter, emissions, in: scope.with(value: callback.value))
        }
    }

    private func decode(
        _ draft: CallbackDraft, _ callback: CallbackSignature, _ parameter: Int,
        _ emissions: EmissionDecoder, in scope: ExpressionScope
    ) -> [CallbackModel]? {
        let batches = emissions.compile(draft.emit, in: scope).map {
            EmissionBatch(emitter: nil, emissions: $0)
        }
        let none = batches.map { _ -> (store: Store, text: SourceText)? in nil }
        func models(_ results: [(store: Store, text: SourceText)?], _ fallback: Record?) -> [CallbackModel] {
            zip(results, batches).map {
                CallbackModel(parameter: parameter, result: $0, fallback: fallback, batch: $1)
            }
        }
        guard let type = callback.result else {
            guard let node = draft.result ?? draft.fallback else { return models(none, nil) }
            collector.error(
                .conflictingKeys, "callback `\(callback.name)` returns nothing", at: node.span,
                help: ["write `callback = { emit = { … } }`, or `callback = {}` for nothing"])
            return nil
        }
        guard let fallback = fallback(draft.fallback, as: type) else { return nil }
        guard let node = draft.result else { return models(none, fallback) }
        guard let text = manifest.expressionText(node, as: type) else { return nil }
        let stores = manifest.compile(text, in: scope) { expression throws(TextFault) in
            (store: try expression.store(as: type), text: text.text)
        }
        return stores.map { models($0, fallback) }
    }

    /// The value of `on-fault`, computed at load; nil after a report.
    private func fallback(_ node: TOMLNode?, as type: ValueType) -> Record? {
        var record = Record(RecordType([("result", type)]))
        guard let node else { return record }
        guard let text = manifest.expressionText(node, as: type) else { return nil }
        let config = manifest.config
        let values = manifest.compile(text, in: ExpressionScope(config: config.type)) {
            expression throws(TextFault) in
            // A value that never converts is a fault of the expression.
            _ = try expression.store(as: type)
            return try LoopDecoder.value(of: expression, config)
        }
        guard let value = values?.first else { return nil }
        do { try record.set("result", to: value) } catch {
            collector.error(.doesNotConvert, error.message, at: node.span)
            return nil
        }
        return record
    }
}

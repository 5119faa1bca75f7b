import Diagnostics
import Expressions
import Records

extension FeedbackDecoder {
    /// The trigger of the feedback, before its expressions are compiled.
    enum Trigger {
        case change
        case state(FeedbackTrigger.Strategy)
        case events([Int], FeedbackTrigger.Strategy)
        case each(TableReader)

        /// The trigger with its items, which `each` needs.
        func model(_ each: Each?) -> FeedbackTrigger {
            switch self {
            case .change: .change
            case .state(let strategy): .state(strategy)
            case .events(let events, let strategy): .events(events, strategy)
            case .each: each.map { .each($0.item) } ?? .change
            }
        }
    }

    /// Decodes `on`, `trigger` and `strategy`; nil after a report about an event of `on`.
    func decodeTrigger() -> Trigger? {
        var trigger: TriggerWord?
        var each: TableReader?
        if table.value("trigger")?.kind == .table {
            each = table.table("trigger", .each)
            each?.missing("each", help: "name the list: `trigger = { each = \"state.items\" }`")
        } else {
            trigger = table.word("trigger", as: TriggerWord.self)
        }
        let strategy = table.word("strategy", as: FeedbackTrigger.Strategy.self)
        if let names = table.strings("on") {
            if let span = table.span(of: "trigger") {
                conflict("`on` and `trigger` exclude one another", at: span, with: "on")
            }
            return events(names, strategy)
        }
        if trigger == .state { return .state(strategy ?? .cancelOnNewState) }
        if strategy != nil, !table.isRefused("trigger"), let span = table.span(of: "strategy") {
            conflict(
                "`strategy` needs `on` or `trigger = \"state\"`", at: span, with: "trigger",
                help: "remove it: without them, a change of the arguments ends the run")
        }
        return each.map(Trigger.each) ?? .change
    }

    private func events(
        _ names: [(text: String, node: TOMLNode)], _ strategy: FeedbackTrigger.Strategy?
    ) -> Trigger? {
        if strategy == .cancelOnNewState, let node = table.value("strategy") {
            conflict(
                "`cancel-on-new-state` cannot be combined with `on`", at: node.span, with: "on",
                help: "`cancel-on-new-match` ends a run when the next event comes")
        }
        var indices: [Int] = []
        for (name, node) in names {
            guard let index = loop.event(name, at: node.span) else { continue }
            if indices.contains(index) {
                collector.error(.definedTwice, "event `\(name)` is named twice in `on`", at: node.span)
            } else {
                indices.append(index)
            }
        }
        if names.isEmpty, let node = table.value("on"), node.oneOrSeveral.isEmpty {
            collector.error(
                .missingField, "`on` names no event", at: node.span,
                help: ["name an event, or remove `on`"])
        }
        return indices.isEmpty ? nil : .events(indices, strategy ?? .queue)
    }

    func conflict(_ message: String, at span: SourceSpan, with key: String, help: String? = nil) {
        collector.error(
            .conflictingKeys, message, at: span,
            related: table.span(of: key).map { [Diagnostic.Label($0)] } ?? [],
            help: [help])
    }

    /// The decoded `trigger = { each = …, key = … }`.
    struct Each {
        let item: FeedbackTrigger.Item
        /// One for each variant of the scope.
        let models: [EachModel]
    }

    /// The items and their keys; nil after a report.
    func decodeEach(_ each: TableReader, in scope: ExpressionScope) -> Each? {
        guard let node = each.value("each"), let list = manifest.expressionText(node) else { return nil }
        let types = manifest.compile(list, in: scope) { expression throws(TextFault) in
            try Self.element(of: expression, in: list.text)
        }
        guard let type = types?.first,
            let items = manifest.compile(
                list, in: scope,
                { expression throws(TextFault) in try expression.store(as: .list(type)) })
        else { return nil }
        let isScalar = Self.isKey(ExpressionType(type))
        let text: ManifestDecoder.ExpressionText
        if let node = each.value("key") {
            guard let given = manifest.expressionText(node) else { return nil }
            text = given
        } else {
            guard isScalar || each.isRefused("key") else {
                collector.error(
                    .missingKey, "`key` is missing in `\(table.path(of: "trigger"))`", at: node.span,
                    label: "its items are of type \(ExpressionType(type).name)",
                    help: [
                        "name a value that is different for each item, such as `key = \"item.\(Self.likelyKey(of: type))\"`"
                    ])
                return nil
            }
            let file = SourceFile(name: "`key`", text: "item")
            text = ManifestDecoder.ExpressionText(text: SourceText(file: file), isConstant: false)
        }
        let keys = manifest.compile(text, in: scope.with(item: type)) { expression throws(TextFault) in
            guard Self.isKey(expression.type) else {
                throw TextFault(
                    ManifestCode.invalidKey.code, "a key cannot be of type \(expression.type.name)",
                    at: 0..<expression.text.utf8.count,
                    help: ["use a number, string, bytes, boolean, duration or timestamp"])
            }
            return expression
        }
        guard let keys else { return nil }
        return Each(
            item: FeedbackTrigger.Item(type: type),
            models: zip(items, keys).map {
                EachModel(items: $0, itemsSource: list.text, key: $1, keySource: text.text)
            })
    }

    /// The type of the elements of a list.
    private static func element(
        of expression: Expression, in text: SourceText
    ) throws(TextFault) -> ValueType {
        switch expression.field?.type {
        case .list(let element), .array(let element, _): return element
        default: break
        }
        guard case .list(let element) = expression.type, let type = element.stored else {
            let help =
                if case .optionalValue(.list) = expression.type {
                    "write `\(expression.text).orValue([])`"
                } else {
                    "name a list, such as `each = \"state.items\"`"
                }
            throw TextFault(
                ManifestCode.notAList.code, "`each` needs a list, found \(expression.type.name)",
                at: 0..<expression.text.utf8.count, help: [help])
        }
        return type
    }

    private static func isKey(_ type: ExpressionType) -> Bool {
        switch type {
        case .bool, .int, .uint, .double, .string, .bytes, .duration, .timestamp: true
        case .null, .list, .map, .record, .optional, .optionalValue, .pointer, .ip, .cidr, .type, .dynamic:
            false
        }
    }

    /// The field of an item that is most likely its key.
    private static func likelyKey(of type: ValueType) -> String {
        guard case .record(let record) = type else { return "id" }
        let scalars = record.fields.filter { isKey(ExpressionType($0.type)) }.map(\.name)
        return scalars.first { $0 == "id" } ?? scalars.first ?? "id"
    }
}

extension ExpressionType {
    /// The type in which a value is stored; nil for a type that cannot be stored.
    fileprivate var stored: ValueType? {
        switch self {
        case .bool: .bool
        case .int: .integer(.i64)
        case .uint: .integer(.u64)
        case .double: .double
        case .string: .string
        case .bytes: .bytes
        case .duration: .duration
        case .timestamp: .timestamp
        case .list(let element): element.stored.map(ValueType.list)
        case .record(let record): .record(record)
        case .optional(let wrapped): wrapped.stored.map(ValueType.optional)
        case .pointer: .pointer
        case .null, .map, .optionalValue, .ip, .cidr, .type, .dynamic: nil
        }
    }
}

import Diagnostics
import Expressions
import Records

extension ManifestDecoder {
    /// The value of a key that accepts expressions. A string is an expression. Any other value is a constant,
    /// converted to an expression whose characters all have the constant's span.
    struct ExpressionText {
        let text: SourceText
        let isConstant: Bool

        /// The diagnostic, with a span in the file, of a fault in the expression.
        func diagnostic(_ fault: TextFault) -> Diagnostic {
            isConstant
                ? Diagnostic(
                    .error, fault.code, fault.message, at: text.span, label: fault.label, help: fault.help)
                : fault.diagnostic(in: text)
        }
    }

    /// Reads the value of a key that accepts expressions. `type` is the expected type, if it is known; for a
    /// duration, a text such as `5s` is a constant. `{ text = "…" }` is a constant text, unless a record is expected.
    func expressionText(_ node: TOMLNode, as type: ValueType? = nil) -> ExpressionText? {
        let plain = if case .optional(let wrapped) = type { wrapped } else { type }
        let literal: String? = if case .record = plain { nil } else { node.plainText }
        if let literal {
            return ExpressionText(text: constant(Value.string(literal).json, at: node), isConstant: true)
        }
        if let text = node.string {
            guard plain == .duration, TimeText.nanoseconds(ofDuration: text) != nil else {
                return ExpressionText(text: self.text(of: node), isConstant: false)
            }
            return ExpressionText(text: constant("duration('\(text)')", at: node), isConstant: true)
        }
        guard let text = expression(of: node) else { return nil }
        return ExpressionText(text: constant(text, at: node), isConstant: true)
    }

    private func constant(_ text: String, at node: TOMLNode) -> SourceText {
        let starts = repeatElement(node.span.start, count: text.utf8.count)
        return SourceText(text: text, file: node.span.file, positions: starts + [node.span.end])
    }

    /// A constant as an expression in CEL; nil after a report.
    private func expression(of node: TOMLNode) -> String? {
        switch node.content {
        case .integer(let value): return "\(value)"
        case .float(let value):
            return value.isFinite
                ? "\(value)" : "double('\(value.isNaN ? "NaN" : value < 0 ? "-inf" : "inf")')"
        case .boolean(let value): return "\(value)"
        case .string(let text): return Value.string(text).json
        case .date(let text):
            guard TimeText.timestamp(ofRFC3339: text) != nil else {
                collector.error(
                    .doesNotConvert, "`\(text)` is not a timestamp, such as `2026-01-01T00:00:00Z`",
                    at: node.span)
                return nil
            }
            return "timestamp('\(text)')"
        case .array(let elements):
            let texts = elements.compactMap(expression)
            return texts.count == elements.count ? "[\(texts.joined(separator: ", "))]" : nil
        case .table(let entries, _):
            let texts = entries.compactMap { entry in
                expression(of: entry.value).map { "\(Value.string(entry.key).json): \($0)" }
            }
            return texts.count == entries.count ? "{\(texts.joined(separator: ", "))}" : nil
        }
    }

    /// Compiles an expression for every variant of a scope. Reports a fault once and returns nil.
    func compile<Compiled>(
        _ expression: ExpressionText, in scope: ExpressionScope,
        _ finish: (Expression) throws(TextFault) -> Compiled
    ) -> [Compiled]? {
        compileEach(expression, in: scope) { compiled, _ throws(TextFault) in try finish(compiled) }
    }

    /// Compiles an expression for every variant of a scope, and hands the variant to `finish`. Reports a
    /// fault once and returns nil.
    func compileEach<Compiled>(
        _ expression: ExpressionText, in scope: ExpressionScope,
        _ finish: (Expression, ExpressionScope.Variant) throws(TextFault) -> Compiled
    ) -> [Compiled]? {
        let text = expression.text.text
        if !expression.isConstant { scopes?.add(scope, at: expression.text.span(of: 0..<0)) }
        do throws(TextFault) {
            if let common = scope.common {
                _ = try finish(try Expression(text, in: common.scope), common)
            }
            var compiled: [Compiled] = []
            for variant in scope.variants {
                let made = try Expression(text, in: variant.scope)
                usedBindings.formUnion(made.bindings)
                compiled.append(try finish(made, variant))
            }
            return compiled
        } catch {
            // After so many faulty declarations, the collector shows no more diagnostics anyway.
            if !collector.isFull, faultyUses.count <= DiagnosticCollector.limit,
                !faultyUses.contains(where: { text.contains($0) }), !isConsequence(error, in: text)
            {
                let fault = error.explainedAsRun(in: text).explained(below: scope.below, in: text)
                collector.add(expression.diagnostic(scope.cases.explained(fault, in: text)))
            }
            return nil
        }
    }

    /// Whether an expression has a fault because a name of `let` has one.
    private func isConsequence(_ fault: TextFault, in text: String) -> Bool {
        guard fault.code == .unknownName, !faultyNames.isEmpty else { return false }
        let name = text.utf8.dropFirst(fault.range.lowerBound).prefix(fault.range.count)
        return faultyNames.contains(String(Substring(name)))
    }

    /// The bool expression at a key, compiled for each variant of the scope.
    ///
    /// - Returns: one condition for each variant; all are nil if the key is absent, and after a report.
    func conditions(_ table: TableReader, _ key: String, in scope: ExpressionScope) -> [Condition?] {
        guard let node = table.value(key), let text = expressionText(node) else {
            return scope.variants.map { _ in nil }
        }
        return conditions(text, in: scope) ?? scope.variants.map { _ in nil }
    }

    func conditions(_ text: ExpressionText, in scope: ExpressionScope) -> [Condition]? {
        compile(text, in: scope) { expression throws(TextFault) in
            Condition(predicate: try expression.predicate(), reads: expression.reads, source: text.text)
        }
    }

    /// The assignment of an expression to a field, compiled for each variant of the scope; nil after a
    /// report.
    func assignments(to field: RecordType.Field, _ node: TOMLNode, in scope: ExpressionScope) -> [Assignment]?
    {
        expressionText(node, as: field.type).flatMap { assignments(to: field, $0, in: scope) }
    }

    func assignments(
        to field: RecordType.Field, _ text: ExpressionText, in scope: ExpressionScope
    ) -> [Assignment]? {
        assignments(text, in: scope) { _ in field }
    }

    /// The assignment of an expression to a field whose offset depends on the variant; nil after a report.
    func assignments(
        _ text: ExpressionText, in scope: ExpressionScope,
        to field: (ExpressionScope.Variant) -> RecordType.Field
    ) -> [Assignment]? {
        compileEach(text, in: scope) { expression, variant throws(TextFault) in
            let field = field(variant)
            return Assignment(to: field, store: try expression.store(as: field.type), source: text.text)
        }
    }
}

extension CaseScope {
    /// Rewords an "unknown field" fault if another case of the state has the field. Other faults stay
    /// unchanged.
    fileprivate func explained(_ fault: TextFault, in text: String) -> TextFault {
        guard fault.code == .unknownField, fault.range.lowerBound > 0 else { return fault }
        let utf8 = Array(text.utf8)
        let name = String(decoding: utf8[fault.range], as: UTF8.self)
        // The field must follow `state.`, with any white space around the dot.
        let before = String(decoding: utf8[..<fault.range.lowerBound], as: UTF8.self).filter {
            !$0.isWhitespace
        }
        guard before.hasSuffix("state."), let fitting = self.fault(ofField: name) else { return fault }
        return TextFault(
            ManifestCode.fieldOfOtherCase.code, fitting.message, at: fault.range, help: fitting.help)
    }
}

extension TextFault {
    /// Adds the rule to an "unknown name" fault if the name is in `let`, but not above the expression.
    fileprivate func explained(below entries: ArraySlice<TOMLEntry>, in text: String) -> TextFault {
        guard code == .unknownName,
            case let name = String(decoding: Array(text.utf8)[range], as: UTF8.self),
            entries.contains(where: { $0.key == name })
        else { return self }
        return TextFault(
            code, message, at: range, label: label, help: ["a name of `let` can use only those above it"])
    }

    /// Rewords an "unknown name" fault if the name is `run`. Other faults stay unchanged.
    fileprivate func explainedAsRun(in text: String) -> TextFault {
        guard code == .unknownName,
            String(decoding: Array(text.utf8)[range], as: UTF8.self) == ExpressionScope.run
        else { return self }
        return TextFault(
            code, "`run` can be used only in `args`", at: range, label: label,
            help: ["give the key of the run to the effect: `args = [\"run.key\"]`"])
    }
}

extension TOMLNode {
    /// The text of `{ text = "…" }`; nil for anything else.
    fileprivate var plainText: String? {
        guard entries.count == 1, entries[0].key == "text" else { return nil }
        return entries[0].value.string
    }
}

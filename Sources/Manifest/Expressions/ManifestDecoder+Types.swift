import Diagnostics
import Records

extension ManifestDecoder {
    /// The type that a value describes: a string, a table of fields, or an array with one type. Nil after a
    /// report.
    func type(_ node: TOMLNode, depth: Int = 0) -> ValueType? {
        guard depth < TypeSyntax.maximumDepth else {
            collector.error(.unknownType, TypeSyntax.tooDeep, at: node.span)
            return nil
        }
        switch node.content {
        case .string(let text):
            let syntax = TypeSyntax(text: text, named: namedTypes)
            do throws(TypeSyntax.Failure) { return try syntax.parse(depth: depth) } catch {
                if case .fault(let fault) = error {
                    collector.add(fault.diagnostic(in: self.text(of: node)))
                }
                return nil
            }
        case .array(let elements) where elements.count == 1:
            return type(elements[0], depth: depth + 1).map(ValueType.list)
        case .table(let entries, _):
            var fields: [(name: String, type: ValueType)] = []
            for entry in entries where NameRule.checkField(entry, collector) {
                if let type = type(entry.value, depth: depth + 1) { fields.append((entry.key, type)) }
            }
            return fields.count == entries.count ? .record(RecordType(fields)) : nil
        default:
            collector.error(
                .wrongType, "expected \(ManifestField.Form.type.words), found \(node.kind.words)",
                at: node.span)
            return nil
        }
    }

    /// The fields of an event or a message; nil after a report about any of them.
    ///
    /// - Parameter fields: the keys of a field's long form, a table with `type`.
    func payload(_ table: TableReader, fields form: ManifestTable) -> RecordType? {
        var fields: [(name: String, type: ValueType)] = []
        for entry in table.named where NameRule.checkField(entry, collector) {
            var node: TOMLNode? = entry.value
            if entry.value.entry("type") != nil { node = table.reader(of: entry, form).value("type") }
            if let type = node.flatMap({ self.type($0) }) { fields.append((entry.key, type)) }
        }
        return fields.count == table.named.count ? RecordType(fields) : nil
    }

    /// The type and value of a literal; nil after a report.
    func literal(_ node: TOMLNode, name: String, depth: Int) -> (type: ValueType, value: Value)? {
        guard depth < TypeSyntax.maximumDepth else {
            collector.error(
                .untypedLiteral, "values nest at most \(TypeSyntax.maximumDepth) deep", at: node.span)
            return nil
        }
        switch node.content {
        case .integer(let value): return (.integer(.i64), .int(value))
        case .float(let value): return (.double, .double(value))
        case .boolean(let value): return (.bool, .bool(value))
        case .string(let text):
            if TypeSyntax.isTypeName(text, or: namedTypes.has) {
                collector.warning(
                    .typeNameAsValue, "`\(name)` is a string with the value `\(text)`", at: node.span,
                    help: ["for a field of that type write `\(name) = { type = \"\(text)\" }`"])
            }
            return (.string, .string(text))
        case .date:
            collector.error(
                .untypedLiteral, "a date cannot be a literal here", at: node.span,
                help: ["write `\(name) = { type = \"timestamp\", initial = \"2026-01-01T00:00:00Z\" }`"])
            return nil
        case .array(let elements):
            var values: [Value] = []
            var first: ValueType?
            for element in elements {
                guard let (type, value) = literal(element, name: name, depth: depth + 1) else { return nil }
                if let first, type != first {
                    collector.error(
                        .untypedLiteral, "`\(name)` mixes `\(first.name)` and `\(type.name)`",
                        at: element.span,
                        help: ["all elements of a list must have the same type"])
                    return nil
                }
                first = type
                values.append(value)
            }
            guard let first else {
                collector.error(
                    .untypedLiteral, "the element type of an empty list is unknown", at: node.span,
                    help: ["give the type, such as `\(name) = { type = \"[int]\" }`"])
                return nil
            }
            return (.list(first), .list(values))
        case .table where readsSecrets && Self.isSecret(node):
            return secret(node, name: name, at: node.span)
        case .table(let entries, _):
            var fields: [(name: String, type: ValueType)] = []
            var values: [(String, Value)] = []
            for entry in entries where NameRule.checkField(entry, collector) {
                guard let (type, value) = literal(entry.value, name: entry.key, depth: depth + 1) else {
                    continue
                }
                fields.append((entry.key, type))
                values.append((entry.key, value))
            }
            return fields.count == entries.count ? (.record(RecordType(fields)), .record(values)) : nil
        }
    }

    /// Converts a literal to a value of a type; nil after a report. It checks only the kind: storing the
    /// value in a record checks the rest.
    func value(of node: TOMLNode, as type: ValueType) -> Value? {
        switch (node.content, type) {
        case (_, .optional(let wrapped)): return value(of: node, as: wrapped)
        case (.string(let text), .duration):
            guard let nanoseconds = TimeText.nanoseconds(ofDuration: text) else {
                return refuse(node, "`\(text)` is not a duration, such as `1.5s` or `10m`")
            }
            return .duration(nanoseconds: nanoseconds)
        case (.string(let text), .timestamp), (.date(let text), .timestamp):
            guard let timestamp = TimeText.timestamp(ofRFC3339: text) else {
                return refuse(node, "`\(text)` is not a timestamp, such as `2026-01-01T00:00:00Z`")
            }
            return .timestamp(timestamp)
        case (.string(let text), .bytes): return .bytes(Array(text.utf8))
        // A string may hold an integer, because TOML's own integers end at 2^63 - 1 and those of `u64` do
        // not.
        case (.string(let text), .integer(let type)):
            if let number = Int64(text) { return .int(number) }
            if let number = UInt64(text) { return .uint(number) }
            let digits = text.utf8.first == UInt8(ascii: "-") ? text.utf8.dropFirst() : text.utf8[...]
            guard !digits.isEmpty, digits.allSatisfy({ (48...57).contains($0) }) else {
                return refuse(node, "`\(text)` is not a whole number in decimal digits")
            }
            return refuse(node, "`\(text)` does not fit `\(type.rawValue)` (\(type.range))")
        case (.array(let elements), .list(let element)):
            let values = elements.compactMap { value(of: $0, as: element) }
            return values.count == elements.count ? .list(values) : nil
        case (.table(let entries, _), .record(let record)):
            var values: [(String, Value)] = []
            for entry in entries {
                guard let field = record.field(entry.key) else {
                    unknownField(entry, record)
                    continue
                }
                if let value = value(of: entry.value, as: field.type) { values.append((entry.key, value)) }
            }
            return values.count == entries.count ? .record(values) : nil
        case (.string(let text), _): return .string(text)
        case (.integer(let value), _): return .int(value)
        case (.float(let value), _): return .double(value)
        case (.boolean(let value), _): return .bool(value)
        case (.date, _), (.array, _), (.table, _):
            return refuse(node, "\(node.kind.words) does not convert to `\(type.name)`")
        }
    }

    private func refuse(_ node: TOMLNode, _ message: String) -> Value? {
        collector.error(.doesNotConvert, message, at: node.span)
        return nil
    }

    func unknownField(_ entry: TOMLEntry, _ record: RecordType) {
        unknownField(entry, among: record.fields.map(\.name))
    }

    func unknownField(_ entry: TOMLEntry, among names: [String]) {
        collector.error(
            .unknownField, "unknown field `\(entry.key)`", at: entry.keySpan,
            label: names.isEmpty ? "there are no fields" : "known fields: \(names.quoted)",
            help: [names.suggestion(for: entry.key)])
    }
}

import Diagnostics
import Records

/// One part of a record or list that is being built.
private struct Part: Sendable {
    let offset: Int
    let write: Write
}

extension Compiler {
    /// Compiles a record from a map literal with constant keys. Each field may occur only once.
    mutating func compileRecord(
        _ entries: [(key: Syntax, value: Syntax)], _ record: RecordType, _ syntax: Syntax
    ) throws(TextFault) -> Write {
        var missing = record.fields.map(\.name)
        var parts: [Part] = []
        for entry in entries {
            guard case .string(let name)? = try compile(entry.key).constant else {
                throw TextFault(
                    .wrongFields, "the key of a record's field must be a text, such as `'name'`",
                    at: entry.key.range)
            }
            guard let field = record.field(name) else {
                let names = record.fields.map(\.name)
                throw TextFault(
                    .wrongFields, "the record has no field `\(name.abridged)`", at: entry.key.range,
                    label: names.isEmpty ? "it has no fields" : "it has \(Self.listed(names))",
                    help: Self.suggestion(for: name, among: names))
            }
            guard let position = missing.firstIndex(of: name) else {
                throw TextFault(.wrongFields, "the field `\(name)` is given twice", at: entry.key.range)
            }
            missing.remove(at: position)
            guard !entry.value.isOptionalElement || field.type.isOptional else {
                throw TextFault(
                    .wrongFields, "the field `\(name)` must have a value, so its entry cannot be optional",
                    at: entry.key.range, help: ["write it without `?`, and its value with `orValue(…)`"])
            }
            parts.append(
                Part(offset: field.offset, write: try compileStore(entry.value, as: field.type)))
        }
        try checkMissing(missing.filter { !record.field($0)!.type.isOptional }, at: syntax.range)
        return Self.build(parts, .record(record))
    }

    /// Compiles a record from another record with the same names, field by field.
    func storeRecord(
        _ term: Term, _ record: RecordType, from other: RecordType
    ) throws(TextFault) -> Write {
        if let extra = other.fields.first(where: { record.field($0.name) == nil }) {
            throw TextFault(.wrongFields, "the record has no field `\(extra.name)`", at: term.range)
        }
        try checkMissing(record.fields.map(\.name).filter { other.field($0) == nil }, at: term.range)
        guard case .memory(let location, _) = term.code else {
            for field in other.fields {
                let (type, target) = (ExpressionType(field.type), record.field(field.name)!.type)
                guard type.converts(to: target) else {
                    throw TextFault(
                        .doesNotConvert,
                        "the field `\(field.name)`: \(type.name) does not convert to `\(target.name)`",
                        at: term.range)
                }
            }
            return try Self.storeBoxed(term, as: .record(record))
        }
        var parts: [Part] = []
        for field in other.fields {
            let source = Term(location.advanced(by: field.offset), field.type, term.syntax)
            let target = record.field(field.name)!
            do throws(TextFault) {
                parts.append(Part(offset: target.offset, write: try store(source, as: target.type)))
            } catch {
                // Its help says how to convert the whole value.
                throw TextFault(error.code, "the field `\(field.name)`: \(error.message)", at: term.range)
            }
        }
        return Self.build(parts, .record(record))
    }

    /// Compiles a list or array from a list literal.
    mutating func compileElements(
        _ elements: [Syntax], _ element: ValueType, as type: ValueType
    ) throws(TextFault) -> Write {
        var parts: [Part] = []
        for (index, syntax) in elements.enumerated() {
            parts.append(
                Part(offset: index * element.stride, write: try compileStore(syntax, as: element)))
        }
        let array = ValueType.array(element, count: elements.count)
        guard case .list = type else { return Self.build(parts, array) }
        let fill = Self.fill(parts)
        // Safe because the temporary array has the elements' layout, and the list retains what it copies.
        return Write { frame, memory throws(EvaluationFault) in
            unsafe try withTemporary(array) { items throws(EvaluationFault) in
                unsafe try fill(frame, items)
                unsafe ValueMemory.storeList(items, count: elements.count, element: element, to: memory)
            }
        }
    }

    private func checkMissing(_ names: [String], at range: Range<Int>) throws(TextFault) {
        guard !names.isEmpty else { return }
        throw TextFault(
            .wrongFields,
            names.count == 1
                ? "the field \(Self.listed(names)) is missing"
                : "the fields \(Self.listed(names)) are missing",
            at: range)
    }

    /// Writes the parts in order and stops at the first fault.
    private static func fill(_ parts: [Part]) -> Write {
        // Safe because each part lies within the value that they make up.
        Write { frame, memory throws(EvaluationFault) in
            for part in parts { unsafe try part.write(frame, memory + part.offset) }
        }
    }

    /// Builds a value from its parts in temporary memory, so that a fault does not change the target.
    private static func build(_ parts: [Part], _ type: ValueType) -> Write {
        let fill = fill(parts)
        return Write { frame, memory throws(EvaluationFault) in
            unsafe try withTemporary(type) { built throws(EvaluationFault) in
                unsafe try fill(frame, built)
                unsafe ValueMemory.assign(memory, from: built, as: type)
            }
        }
    }

    /// Writes a boxed value, which is converted when it is stored. A constant is also stored once at load, because
    /// one that does not fit never does.
    static func storeBoxed(_ term: Term, as type: ValueType) throws(TextFault) -> Write {
        let (compute, range) = (term.code.boxed(at: term.range).computation, term.range)
        if let constant = term.constant, term.type != .dynamic {
            do throws(EvaluationFault) {
                // Safe because the temporary memory holds a value of the type.
                unsafe try withTemporary(type) { memory throws(EvaluationFault) in
                    unsafe try convert(constant, to: memory, as: type, at: range)
                }
            } catch { throw error.textFault }
        }
        // Safe because both memories hold values of the type.
        // The value is built in temporary memory, because a record or array may be stored in part when a part
        // does not fit.
        return Write { frame, memory throws(EvaluationFault) in
            let value = try compute(frame)
            unsafe try withTemporary(type) { built throws(EvaluationFault) in
                unsafe try convert(value, to: built, as: type, at: range)
                unsafe ValueMemory.assign(memory, from: built, as: type)
            }
        }
    }

    private static func convert(
        _ value: Value, to memory: UnsafeMutableRawPointer, as type: ValueType, at range: Range<Int>
    ) throws(EvaluationFault) {
        do throws(RecordError) {
            // Safe because the caller gives memory that holds a value of the type.
            unsafe try ValueMemory.store(value, to: memory, as: type)
        } catch {
            let code: DiagnosticCode = error.code == .outOfRange ? .doesNotFit : .wrongDynamicType
            throw EvaluationFault(code, error.description, at: range)
        }
    }
}

/// Runs `body` with temporary memory that holds the zero value of a type. Destroys the value afterwards.
func withTemporary(
    _ type: ValueType, _ body: (UnsafeMutableRawPointer) throws(EvaluationFault) -> Void
) throws(EvaluationFault) {
    // Safe because the memory has the type's size and alignment and holds a value of it throughout.
    let result: Result<Void, EvaluationFault> = unsafe withUnsafeTemporaryAllocation(
        byteCount: max(type.size, 1), alignment: 8
    ) { buffer in
        let memory = buffer.baseAddress!
        unsafe ValueMemory.initialize(memory, as: type)
        defer { unsafe ValueMemory.destroy(memory, as: type) }
        do throws(EvaluationFault) {
            unsafe try body(memory)
            return .success(())
        } catch {
            return .failure(error)
        }
    }
    try result.get()
}

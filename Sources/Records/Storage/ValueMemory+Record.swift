#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

// Operations on records. In a record with cases, the tag names the case that the union holds.
extension ValueMemory {
    /// Writes the zero value of a record: every field is zero, and the case is the first one.
    public static func initialize(_ memory: UnsafeMutableRawPointer, as record: RecordType) {
        // Safe because the caller promises memory of the record's size.
        unsafe memset(memory, 0, record.size)
        for field in record.ownedFields { unsafe initialize(memory + field.offset, as: field.type) }
        guard let first = record.cases.first else { return }
        for field in first.ownedFields { unsafe initialize(memory + field.offset, as: field.type) }
    }

    /// Retains every block that the record points to. The caller must call it after a byte copy.
    public static func retain(_ memory: UnsafeRawPointer, as record: RecordType) {
        // Safe because the memory holds an initialised record of the type.
        for field in record.ownedFields { unsafe retain(memory + field.offset, as: field.type) }
        guard let index = unsafe caseIndex(memory, of: record) else { return }
        for field in record.cases[index].ownedFields { unsafe retain(memory + field.offset, as: field.type) }
    }

    /// Releases every block that the record points to. The memory is then uninitialised.
    public static func destroy(_ memory: UnsafeRawPointer, as record: RecordType) {
        // Safe because the memory holds an initialised record of the type.
        for field in record.ownedFields { unsafe destroy(memory + field.offset, as: field.type) }
        unsafe destroyCase(memory, of: record)
    }

    /// True when both are in the same case and all fields hold the same content.
    public static func equal(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer, as record: RecordType)
        -> Bool
    {
        // Safe because both hold initialised records of the type. The tag is one of the fields, so it is
        // equal too.
        func areEqual(_ field: RecordType.Field) -> Bool {
            unsafe equal(left + field.offset, right + field.offset, as: field.type)
        }
        guard record.fields.allSatisfy(areEqual) else { return false }
        guard let index = unsafe caseIndex(left, of: record) else { return true }
        return record.cases[index].fields.allSatisfy(areEqual)
    }

    /// The index of the current case; nil for a record without cases.
    ///
    /// Only foreign code can write an invalid tag. The result is then nil, and nothing reads the union.
    @inlinable
    public static func caseIndex(_ memory: UnsafeRawPointer, of record: RecordType) -> Int? {
        guard !record.cases.isEmpty else { return nil }
        // Safe because a record with cases begins with its tag.
        let tag = unsafe Int(memory.load(as: Int32.self))
        return record.cases.indices.contains(tag) ? tag : nil
    }

    /// Changes the case of a record. The fields of the new case get their zero values, also when the case
    /// stays the same. Shared fields are kept.
    ///
    /// - Precondition: the record has a case with this index.
    public static func changeCase(_ memory: UnsafeMutableRawPointer, to index: Int, of record: RecordType) {
        let entered = record.cases[index]
        // Safe because the memory holds an initialised record of the type. Its union is initialised again.
        unsafe destroyCase(memory, of: record)
        unsafe memset(memory + record.union.lowerBound, 0, record.union.count)
        unsafe memory.storeBytes(of: Int32(index), as: Int32.self)
        for field in entered.ownedFields { unsafe initialize(memory + field.offset, as: field.type) }
    }

    /// Reads a record as a map of its fields. The fields of its case come last.
    static func load(_ memory: UnsafeRawPointer, as record: RecordType) -> Value {
        // Safe because the memory holds an initialised record of the type.
        var fields = record.fields
        if let index = unsafe caseIndex(memory, of: record) { fields += record.cases[index].fields }
        return .map(
            fields.map { field in
                Value.MapEntry(
                    key: .string(field.name), value: unsafe load(memory + field.offset, as: field.type))
            })
    }

    /// Stores a map in an initialised record. The map must have all fields that are not optional, and no
    /// others.
    /// In a record with cases, the map must name the case too, and the record changes to that case.
    static func store(
        _ entries: [Value.MapEntry], to memory: UnsafeMutableRawPointer, as record: RecordType
    ) throws(RecordError) {
        // Safe because the fields lie within the record. It changes its case before the fields of the case
        // are stored.
        var (fields, current) = (record.fields, RecordType.Case?.none)
        var rest = entries[...]
        if !record.cases.isEmpty {
            let named = entries.firstIndex { $0.key == .string(RecordType.caseField) }
            guard let named else { throw .missing(RecordType.caseField) }
            let index: Int
            do { index = try record.caseIndex(naming: entries[named].value) } catch {
                throw error.inside(RecordType.caseField)
            }
            unsafe changeCase(memory, to: index, of: record)
            rest.remove(at: named)
            current = record.cases[index]
            fields = fields.dropFirst() + record.cases[index].fields
        }
        var missing = Set(fields.map(\.name))
        for entry in rest {
            guard case .string(let name) = entry.key, let field = record.field(name) ?? current?.field(name),
                current == nil || name != RecordType.caseField
            else {
                throw RecordError(.unknownName, "there is no field `\(entry.key.json)`")
            }
            do { unsafe try store(entry.value, to: memory + field.offset, as: field.type) } catch {
                throw error.inside(name)
            }
            missing.remove(name)
        }
        if let name = fields.first(where: { missing.contains($0.name) && !$0.type.isOptional })?.name {
            throw .missing(name)
        }
    }

    private static func destroyCase(_ memory: UnsafeRawPointer, of record: RecordType) {
        // Safe because the memory holds an initialised record of the type.
        guard let index = unsafe caseIndex(memory, of: record) else { return }
        for field in record.cases[index].ownedFields {
            unsafe destroy(memory + field.offset, as: field.type)
        }
    }
}

extension RecordType {
    /// The index of the case that a value names.
    func caseIndex(naming value: Value) throws(RecordError) -> Int {
        guard case .string(let name) = value else {
            throw RecordError(.wrongType, "\(value.kind) does not name a case")
        }
        guard let index = caseIndex(of: name) else {
            throw RecordError(.unknownName, "there is no case `\(name)`")
        }
        return index
    }
}

extension RecordError {
    static func missing(_ name: String) -> RecordError {
        RecordError(.missingField, "field `\(name)` is missing")
    }
}

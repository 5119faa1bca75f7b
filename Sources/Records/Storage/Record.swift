#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A typed record in C layout, with value semantics: a copy shares the storage until one of the two changes.
///
/// A record handed to C is its bytes at `unsafeBase`. The strings, bytes and lists it points to belong to the storage,
/// so a byte copy is not a record copy. Reading from several threads at once is safe; changing needs exclusive access,
/// as for any Swift value.
// Safe because the storage is a plain object behind value semantics: it changes only when nobody else holds it.
public struct Record: @unchecked Sendable {
    @usableFromInline var storage: RecordStorage

    /// A record with every field at its zero value: zero, false, empty, absent, the first member.
    public init(_ type: RecordType) {
        storage = RecordStorage.make(type)
    }

    /// The record's shape.
    @inlinable public var type: RecordType { storage.type }

    /// The first byte, for reading. Valid while this value or a copy of it lives unchanged.
    @inlinable public var unsafeBase: UnsafeRawPointer { unsafe UnsafeRawPointer(storage.base) }

    /// The first byte, for writing; the storage is copied first when somebody else holds it too.
    ///
    /// Fields of trivial types may be written directly. Valid until this value is copied, changed or gone.
    @inlinable public mutating func unsafeMutableBase() -> UnsafeMutableRawPointer {
        if !isKnownUniquelyReferenced(&storage) { storage = storage.copy() }
        return unsafe storage.base
    }

    /// True when nobody else holds the storage, so that a change would happen in place.
    @inlinable public mutating func isUnique() -> Bool { isKnownUniquelyReferenced(&storage) }

    /// True when both share one storage, so that neither was copied.
    public func sharesStorage(with other: Record) -> Bool { storage === other.storage }

    /// Reads the field of that name; nil when there is none, also when it belongs to a case that the record is not in.
    public subscript(name: String) -> Value? {
        field(name).map { field in unsafe ValueMemory.load(unsafeBase + field.offset, as: field.type) }
    }

    /// The whole record as a map of its fields in declaration order, those of its case last.
    public var value: Value { unsafe ValueMemory.load(unsafeBase, as: type) }

    /// Stores a value into the field of that name, converting as at every border (`ValueMemory.store`). Storing into
    /// `case` of a record with cases changes the case (`changeCase`).
    ///
    /// - Throws: `RecordError` when there is no such field, or the value does not convert or fit; the record is then
    ///   unchanged.
    public mutating func set(_ name: String, to value: Value) throws(RecordError) {
        guard let field = field(name) else {
            throw RecordError(.unknownName, "there is no field `\(name)`")
        }
        if !self.type.cases.isEmpty, name == RecordType.caseField {
            let index: Int
            do { index = try self.type.caseIndex(naming: value) } catch { throw error.inside(name) }
            return changeCase(to: index)
        }
        let (address, type) = unsafe (unsafeMutableBase() + field.offset, field.type)
        do { unsafe try ValueMemory.store(value, to: address, as: type) } catch { throw error.inside(name) }
    }
}

extension Record: Hashable {
    /// Whether both are of equal types and hold equal values; pointers are equal as addresses.
    public static func == (left: Record, right: Record) -> Bool {
        guard left.storage !== right.storage else { return true }
        guard left.type == right.type else { return false }
        return unsafe ValueMemory.equal(left.unsafeBase, right.unsafeBase, as: left.type)
    }

    /// Adds the values of the fields.
    public func hash(into hasher: inout Hasher) { hasher.combine(value) }
}

extension Record {
    /// The case that the record is in, as an index into the cases of its type; nil for a record without cases, and when
    /// foreign code wrote a tag that names none.
    @inlinable public var caseIndex: Int? { unsafe ValueMemory.caseIndex(unsafeBase, of: type) }

    /// Puts the record into a case, with the fields of that case at their zero values; shared fields are kept.
    ///
    /// - Precondition: the type has such a case.
    public mutating func changeCase(to index: Int) {
        // Safe because the base is an initialised record of the type.
        unsafe ValueMemory.changeCase(unsafeMutableBase(), to: index, of: type)
    }

    /// The field of that name which the record has now: one of its type, or of the case that it is in.
    public func field(_ name: String) -> RecordType.Field? {
        type.field(name) ?? caseIndex.flatMap { type.cases[$0].field(name) }
    }
}

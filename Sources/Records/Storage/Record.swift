#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A typed record in C layout with value semantics. A copy shares the storage until one of the two changes.
///
/// C receives a record as the bytes at `unsafeBase`. The storage owns the strings, bytes and lists that they
/// point to, so a byte copy is not a copy of the record.
///
/// Several threads may read a record at once. A change needs exclusive access, as for any Swift value.
// Safe because a record changes its storage only while no other record shares it.
public struct Record: @unchecked Sendable {
    @usableFromInline var storage: RecordStorage

    /// A record with every field at its zero value: zero, false, empty, absent, the first member.
    public init(_ type: RecordType) {
        storage = RecordStorage.make(type)
    }

    /// The record's type.
    @inlinable public var type: RecordType { storage.type }

    /// The address of the first byte, for reading. Valid while this value or a copy of it exists unchanged.
    @inlinable public var unsafeBase: UnsafeRawPointer { unsafe UnsafeRawPointer(storage.base) }

    /// The address of the first byte, for writing. Shared storage is copied first.
    ///
    /// The caller may write fields of trivial types directly. The address is valid until this value is
    /// copied, changed or destroyed.
    @inlinable public mutating func unsafeMutableBase() -> UnsafeMutableRawPointer {
        if !isKnownUniquelyReferenced(&storage) { storage = storage.copy() }
        return unsafe storage.base
    }

    /// True when no other record shares the storage, so that a change happens in place.
    @inlinable public mutating func isUnique() -> Bool { isKnownUniquelyReferenced(&storage) }

    /// True when both records share one storage.
    public func sharesStorage(with other: Record) -> Bool { storage === other.storage }

    /// Reads the field of that name; nil when the record has no such field.
    /// A record does not have the fields of cases that it is not in.
    public subscript(name: String) -> Value? {
        field(name).map { field in unsafe ValueMemory.load(unsafeBase + field.offset, as: field.type) }
    }

    /// The record as a map of its fields in declaration order. The fields of its case come last.
    public var value: Value { unsafe ValueMemory.load(unsafeBase, as: type) }

    /// Stores a value in the field of that name, with the conversions of `ValueMemory.store`.
    /// In a record with cases, a store to the field `case` changes the case (`changeCase`).
    ///
    /// - Throws: `RecordError` when there is no such field, or the value does not convert or fit. The record
    ///   is then unchanged, except that a nested record or array may be stored in part.
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
    /// True when both have equal types and equal values. Pointers are compared as addresses.
    public static func == (left: Record, right: Record) -> Bool {
        guard left.storage !== right.storage else { return true }
        guard left.type == right.type else { return false }
        return unsafe ValueMemory.equal(left.unsafeBase, right.unsafeBase, as: left.type)
    }

    /// Hashes the values of the fields.
    public func hash(into hasher: inout Hasher) { hasher.combine(value) }
}

extension Record {
    /// The index of the current case in the cases of the type. Nil for a record without cases, and when
    /// foreign code wrote an invalid tag.
    @inlinable public var caseIndex: Int? { unsafe ValueMemory.caseIndex(unsafeBase, of: type) }

    /// Changes the case of the record. The fields of the new case get their zero values; shared fields are
    /// kept.
    ///
    /// - Precondition: the type has a case with this index.
    public mutating func changeCase(to index: Int) {
        // Safe because the base is an initialised record of the type.
        unsafe ValueMemory.changeCase(unsafeMutableBase(), to: index, of: type)
    }

    /// Finds a field by name among the fields of the type and of the current case; nil when there is none.
    public func field(_ name: String) -> RecordType.Field? {
        type.field(name) ?? caseIndex.flatMap { type.cases[$0].field(name) }
    }
}

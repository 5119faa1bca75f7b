extension Record {
    /// A copy of the record in its own storage, which also retains `object`.
    ///
    /// The object is released with the last reference to that storage. When copies share the storage, a
    /// changed copy gets new storage without the object.
    public func keeping(_ object: AnyObject) -> Record {
        var copy = self
        copy.storage = KeepingRecordStorage.make(storage, keeping: object)
        return copy
    }

    /// The object that the storage retains (`keeping`); nil when there is none.
    public var kept: AnyObject? { (storage as? KeepingRecordStorage)?.object }

    /// The addresses in all fields of type `pointer`, except null.
    /// This includes fields within records, arrays, lists and optionals.
    public var pointers: [UInt] {
        var found: [UInt] = []
        unsafe ValueMemory.findPointers(unsafeBase, of: type, into: &found)
        return found
    }
}

extension RecordType {
    /// True when a record of this type may contain an address.
    public var hasPointers: Bool {
        fields.contains(where: \.type.hasPointers)
            || cases.contains { $0.fields.contains(where: \.type.hasPointers) }
    }
}

extension ValueType {
    /// True when a value of this type may be or contain an address.
    public var hasPointers: Bool {
        switch self {
        case .pointer: true
        case .record(let record): record.hasPointers
        case .optional(let inner), .array(let inner, _), .list(let inner): inner.hasPointers
        case .bool, .integer, .float, .double, .string, .bytes, .duration, .timestamp, .enumeration: false
        }
    }
}

extension ValueMemory {
    fileprivate static func findPointers(
        _ memory: UnsafeRawPointer, of record: RecordType, into found: inout [UInt]
    ) {
        // Safe because the fields lie within the record. Of the cases, only the current one is read.
        for field in record.fields {
            unsafe findPointers(memory + field.offset, as: field.type, into: &found)
        }
        guard let index = unsafe caseIndex(memory, of: record) else { return }
        for field in record.cases[index].fields {
            unsafe findPointers(memory + field.offset, as: field.type, into: &found)
        }
    }

    private static func findPointers(
        _ memory: UnsafeRawPointer, as type: ValueType, into found: inout [UInt]
    ) {
        // Safe because the memory holds an initialised value of the type.
        switch type {
        case .pointer:
            let address = unsafe memory.load(as: UInt.self)
            if address != 0 { found.append(address) }
        case .record(let record): unsafe findPointers(memory, of: record, into: &found)
        case .optional(let wrapped):
            guard unsafe memory.load(as: UInt8.self) != 0 else { return }
            unsafe findPointers(memory + type.wrappedOffset, as: wrapped, into: &found)
        case .array(let element, let count):
            for index in 0..<count {
                unsafe findPointers(memory + index * element.stride, as: element, into: &found)
            }
        case .list(let element):
            let items = unsafe memory.load(as: UnsafeRawPointer.self)
            for index in 0..<(unsafe memory.load(fromByteOffset: 8, as: Int.self)) {
                unsafe findPointers(items + index * element.stride, as: element, into: &found)
            }
        case .bool, .integer, .float, .double, .string, .bytes, .duration, .timestamp, .enumeration: break
        }
    }
}

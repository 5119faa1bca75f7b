extension Record {
    /// The same record in storage of its own that keeps an object: it is released when nobody holds this storage any more.
    /// What is changed later is a copy without the object.
    public func keeping(_ object: AnyObject) -> Record {
        var copy = self
        copy.storage = KeepingRecordStorage.make(storage, keeping: object)
        return copy
    }

    /// What the storage keeps; nil when that is nothing.
    public var kept: AnyObject? { (storage as? KeepingRecordStorage)?.object }

    /// The addresses in all its fields of type `pointer`, also within records, arrays, lists and optionals; null left out.
    public var pointers: [UInt] {
        var found: [UInt] = []
        unsafe ValueMemory.findPointers(unsafeBase, of: type, into: &found)
        return found
    }
}

extension RecordType {
    /// True when a record of this type may have an address in it.
    public var hasPointers: Bool {
        fields.contains(where: \.type.hasPointers)
            || cases.contains { $0.fields.contains(where: \.type.hasPointers) }
    }
}

extension ValueType {
    /// True when a value of this type may be, or have in it, an address.
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
        // Safe because the fields lie within the record, and those of a case in the one that it is in.
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

import CForeignCall

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

extension ValueMemory {
    /// Reads the value at `memory` as a `Value`. Strings and bytes are copied.
    ///
    /// Foreign code can write invalid content. Invalid UTF-8 is replaced. An enumeration's number without a
    /// member is read as `int`.
    public static func load(_ memory: UnsafeRawPointer, as type: ValueType) -> Value {
        // Safe because the memory holds an initialised value of the type.
        switch type {
        case .bool: return unsafe .bool(memory.load(as: UInt8.self) != 0)
        case .integer(.u64): return unsafe .uint(memory.load(as: UInt64.self))
        case .integer(let integer): return unsafe .int(loadInteger(memory, as: integer))
        case .float: return unsafe .double(Double(memory.load(as: Float.self)))
        case .double: return unsafe .double(memory.load(as: Double.self))
        case .string: return unsafe .string(loadString(memory))
        case .bytes: return unsafe .bytes([UInt8](span(memory)))
        case .duration: return unsafe .duration(nanoseconds: memory.load(as: Int64.self))
        case .timestamp:
            return unsafe .timestamp(Timestamp(nanosecondsSinceEpoch: memory.load(as: Int64.self)))
        case .enumeration(let enumeration):
            // Foreign code can write any number there.
            let index = unsafe Int(memory.load(as: Int32.self))
            return enumeration.members.indices.contains(index)
                ? .string(enumeration.members[index]) : .int(Int64(index))
        case .list(let element):
            let items = unsafe memory.load(as: UnsafeRawPointer.self)
            let count = unsafe memory.load(fromByteOffset: 8, as: Int.self)
            return .list((0..<count).map { unsafe load(items + $0 * element.stride, as: element) })
        case .array(let element, let count):
            return .list((0..<count).map { unsafe load(memory + $0 * element.stride, as: element) })
        case .record(let record): return unsafe load(memory, as: record)
        case .optional(let wrapped):
            guard unsafe memory.load(as: UInt8.self) != 0 else { return .null }
            return unsafe load(memory + type.wrappedOffset, as: wrapped)
        case .pointer: return unsafe .pointer(memory.load(as: UInt.self))
        }
    }

    /// Reads an integer of any type but `u64`, whose upper half an `Int64` cannot hold.
    @inlinable
    public static func loadInteger(_ memory: UnsafeRawPointer, as type: IntegerType) -> Int64 {
        // Safe because the memory holds an initialised integer of the type.
        switch type {
        case .i8: unsafe Int64(memory.load(as: Int8.self))
        case .i16: unsafe Int64(memory.load(as: Int16.self))
        case .i32: unsafe Int64(memory.load(as: Int32.self))
        case .i64: unsafe memory.load(as: Int64.self)
        case .u8: unsafe Int64(memory.load(as: UInt8.self))
        case .u16: unsafe Int64(memory.load(as: UInt16.self))
        case .u32: unsafe Int64(memory.load(as: UInt32.self))
        case .u64: preconditionFailure("a `u64` is read as `UInt64`")
        }
    }

    /// The bytes of the `string` or `bytes` value at `memory`. Valid while the owning record is unchanged.
    @inlinable
    public static func span(_ memory: UnsafeRawPointer) -> UnsafeRawBufferPointer {
        // Safe because strings and bytes are a pointer and a size.
        unsafe UnsafeRawBufferPointer(
            start: memory.load(as: UnsafeRawPointer.self), count: memory.load(fromByteOffset: 8, as: Int.self)
        )
    }

    /// Reads the `string` value at `memory`.
    public static func loadString(_ memory: UnsafeRawPointer) -> String {
        unsafe String(decoding: span(memory), as: UTF8.self)
    }

    /// Stores text in an initialised `string` value. The stored copy is NUL-terminated.
    public static func storeString(_ text: String, to memory: UnsafeMutableRawPointer) {
        var text = text
        text.withUTF8 { unsafe storeBytes(UnsafeRawBufferPointer($0), to: memory) }
    }

    /// Stores bytes in an initialised `string` or `bytes` value. A NUL follows them.
    /// For a string, the caller must have checked that they are UTF-8.
    public static func storeBytes(_ bytes: UnsafeRawBufferPointer, to memory: UnsafeMutableRawPointer) {
        // Safe because the block has room for the bytes and the NUL, and the old value was initialised.
        let block: UnsafeRawPointer
        if let start = bytes.baseAddress, unsafe !bytes.isEmpty {
            let made = unsafe foreign_block_create(bytes.count + 1)!
            unsafe memcpy(made, start, bytes.count)
            unsafe made.storeBytes(of: 0, toByteOffset: bytes.count, as: UInt8.self)
            unsafe block = UnsafeRawPointer(made)
        } else {
            unsafe block = foreign_block_empty()
        }
        unsafe destroy(memory, as: .string)
        unsafe memory.storeBytes(of: block, as: UnsafeRawPointer.self)
        unsafe memory.storeBytes(of: bytes.count, toByteOffset: 8, as: Int.self)
    }

    /// Makes an initialised `bytes` value share the block at `payload`, which has at least `count` bytes.
    public static func storeShared(
        _ payload: UnsafeRawPointer, count: Int, to memory: UnsafeMutableRawPointer
    ) {
        // Safe because the block is retained for the value.
        unsafe foreign_block_retain(payload)
        unsafe destroy(memory, as: .bytes)
        unsafe memory.storeBytes(of: payload, as: UnsafeRawPointer.self)
        unsafe memory.storeBytes(of: count, toByteOffset: 8, as: Int.self)
    }

    /// Whether a value of type `bytes` in the value at `memory` begins at `payload`.
    public static func hasBytes(
        _ payload: UnsafeRawPointer, in memory: UnsafeRawPointer, as type: ValueType
    ) -> Bool {
        // Safe because the memory holds an initialised value of the type.
        switch type {
        case .bytes: return unsafe memory.load(as: UnsafeRawPointer.self) == payload
        case .list(let element):
            guard !element.isTrivial else { return false }
            let items = unsafe memory.load(as: UnsafeRawPointer.self)
            let count = unsafe memory.load(fromByteOffset: 8, as: Int.self)
            return (0..<count).contains {
                unsafe hasBytes(payload, in: items + $0 * element.stride, as: element)
            }
        case .array(let element, let count):
            return !element.isTrivial
                && (0..<count).contains {
                    unsafe hasBytes(payload, in: memory + $0 * element.stride, as: element)
                }
        case .record(let record):
            return record.fields.contains {
                unsafe hasBytes(payload, in: memory + $0.offset, as: $0.type)
            }
        case .optional(let wrapped):
            return unsafe memory.load(as: UInt8.self) != 0
                && hasBytes(payload, in: memory + type.wrappedOffset, as: wrapped)
        default: return false
        }
    }

    /// Stores a list in an initialised list value of the same type.
    /// It copies `count` values from `items`, where they lie `element.stride` bytes apart.
    public static func storeList(
        _ items: UnsafeRawPointer, count: Int, element: ValueType, to memory: UnsafeMutableRawPointer
    ) {
        // Safe because the block has room for all elements, and the list retains the copied elements.
        let size = count * element.stride
        let block = unsafe count == 0 ? foreign_block_empty()! : UnsafeRawPointer(foreign_block_create(size)!)
        if count > 0 {
            unsafe memcpy(UnsafeMutableRawPointer(mutating: block), items, size)
            if !element.isTrivial {
                for index in 0..<count { unsafe retain(block + index * element.stride, as: element) }
            }
        }
        unsafe destroy(memory, as: .list(element))
        unsafe memory.storeBytes(of: block, as: UnsafeRawPointer.self)
        unsafe memory.storeBytes(of: count, toByteOffset: 8, as: Int.self)
    }

    /// Stores a `Value` in initialised memory of a type. These values convert:
    ///
    /// - any integer to any integer type or floating type
    /// - a double to a float, by rounding
    /// - the name of a member to an enumeration
    /// - a map to a record, when it has all fields that are not optional, and no others
    /// - null to an optional or a pointer
    /// - an optional of the expression language to an optional, unless its value is an optional too
    /// - bytes to an array of bytes, with zeros after them
    /// - text to an array of bytes, with a NUL and zeros after it
    ///
    /// - Throws: `RecordError` when the value does not convert or fit. The memory then holds a value of the
    ///   type, but a record or array may be stored in part.
    public static func store(
        _ value: Value, to memory: UnsafeMutableRawPointer, as type: ValueType
    ) throws(RecordError) {
        // Safe because the memory holds an initialised value of the type.
        switch (type, value) {
        case (.bool, .bool(let value)): unsafe memory.storeBytes(of: value ? 1 : 0, as: UInt8.self)
        case (.integer(let integer), .int(let value)):
            guard unsafe storeInteger(value, to: memory, as: integer) else {
                throw .doesNotFit("\(value)", type)
            }
        case (.integer(let integer), .uint(let value)):
            guard unsafe storeInteger(value, to: memory, as: integer) else {
                throw .doesNotFit("\(value)", type)
            }
        case (.float, .double(let value)): unsafe memory.storeBytes(of: Float(value), as: Float.self)
        case (.float, .int(let value)): unsafe memory.storeBytes(of: Float(value), as: Float.self)
        case (.float, .uint(let value)): unsafe memory.storeBytes(of: Float(value), as: Float.self)
        case (.double, .double(let value)): unsafe memory.storeBytes(of: value, as: Double.self)
        case (.double, .int(let value)): unsafe memory.storeBytes(of: Double(value), as: Double.self)
        case (.double, .uint(let value)): unsafe memory.storeBytes(of: Double(value), as: Double.self)
        case (.string, .string(let value)): unsafe storeString(value, to: memory)
        case (.bytes, .bytes(let value)): unsafe value.withUnsafeBytes { unsafe storeBytes($0, to: memory) }
        case (.duration, .duration(let value)): unsafe memory.storeBytes(of: value, as: Int64.self)
        case (.timestamp, .timestamp(let value)):
            guard let stored = value.nanosecondsSinceEpoch else {
                throw RecordError(.outOfRange, "the timestamp lies outside 1677 to 2262")
            }
            unsafe memory.storeBytes(of: stored, as: Int64.self)
        case (.enumeration(let enumeration), .string(let value)):
            guard let index = enumeration.index(of: value) else {
                throw RecordError(.unknownName, "`\(value)` is not one of `\(type.name)`")
            }
            unsafe memory.storeBytes(of: index, as: Int32.self)
        case (.list(let element), .list(let values)):
            unsafe try storeList(values, element: element, to: memory)
        case (.array(let element, let count), .list(let values)):
            guard values.count == count else {
                throw RecordError(.outOfRange, "\(values.count) elements do not fit `\(type.name)`")
            }
            for (index, value) in values.enumerated() {
                do { unsafe try store(value, to: memory + index * element.stride, as: element) } catch {
                    throw error.inside("[\(index)]")
                }
            }
        case (.array(.integer(let integer), let count), .string(let text)) where integer.size == 1:
            guard !text.utf8.contains(0) else {
                throw RecordError(.outOfRange, "C text cannot hold a NUL")
            }
            // One byte more for the NUL at the end.
            unsafe try storeOctets(Array(text.utf8) + [0], to: memory, room: count)
        case (.array(.integer(let integer), let count), .bytes(let bytes)) where integer.size == 1:
            unsafe try storeOctets(bytes, to: memory, room: count)
        case (.record(let record), .map(let entries)): unsafe try store(entries, to: memory, as: record)
        case (.optional, .null):
            unsafe destroy(memory, as: type)
            unsafe initialize(memory, as: type)
        case (.optional, .optional(.optional?)):
            // Null would not tell which of the two has no value.
            throw RecordError(.wrongType, "an optional of an optional does not convert to `\(type.name)`")
        case (.optional, .optional(let content)):
            unsafe try store(content ?? .null, to: memory, as: type)
        case (.optional(let wrapped), _):
            unsafe try store(value, to: memory + type.wrappedOffset, as: wrapped)
            unsafe memory.storeBytes(of: 1, as: UInt8.self)
        case (.pointer, .pointer(let value)): unsafe memory.storeBytes(of: value, as: UInt.self)
        case (.pointer, .null): unsafe memory.storeBytes(of: 0, as: UInt.self)
        default: throw RecordError(.wrongType, "\(value.kind) does not convert to `\(type.name)`")
        }
    }

    /// Stores bytes and fills the rest of the `room` bytes with zeros.
    private static func storeOctets(
        _ octets: [UInt8], to memory: UnsafeMutableRawPointer, room: Int
    ) throws(RecordError) {
        guard octets.count <= room else {
            throw RecordError(.outOfRange, "\(octets.count) bytes do not fit \(room)")
        }
        // Safe because the memory has that room.
        let target = unsafe UnsafeMutableRawBufferPointer(start: memory, count: room)
        unsafe target.copyBytes(from: octets)
        unsafe memset(memory + octets.count, 0, room - octets.count)
    }

    /// Stores an integer of any Swift type. Returns false and stores nothing when it does not fit.
    @inlinable
    public static func storeInteger(
        _ value: some BinaryInteger, to memory: UnsafeMutableRawPointer, as type: IntegerType
    ) -> Bool {
        // Safe because the memory has the type's size and alignment.
        switch type {
        case .i8: unsafe storeExactly(Int8(exactly: value), to: memory)
        case .i16: unsafe storeExactly(Int16(exactly: value), to: memory)
        case .i32: unsafe storeExactly(Int32(exactly: value), to: memory)
        case .i64: unsafe storeExactly(Int64(exactly: value), to: memory)
        case .u8: unsafe storeExactly(UInt8(exactly: value), to: memory)
        case .u16: unsafe storeExactly(UInt16(exactly: value), to: memory)
        case .u32: unsafe storeExactly(UInt32(exactly: value), to: memory)
        case .u64: unsafe storeExactly(UInt64(exactly: value), to: memory)
        }
    }

    @inlinable
    static func storeExactly<Stored: FixedWidthInteger>(
        _ value: Stored?, to memory: UnsafeMutableRawPointer
    ) -> Bool {
        guard let value else { return false }
        unsafe memory.storeBytes(of: value, as: Stored.self)
        return true
    }

    private static func storeList(
        _ values: [Value], element: ValueType, to memory: UnsafeMutableRawPointer
    ) throws(RecordError) {
        // Safe because the block has room for all elements. This function frees it after an error, and
        // otherwise stores it.
        let block =
            unsafe values.isEmpty
            ? foreign_block_empty()! : UnsafeRawPointer(foreign_block_create(values.count * element.stride)!)
        let items = unsafe UnsafeMutableRawPointer(mutating: block)
        for index in values.indices { unsafe initialize(items + index * element.stride, as: element) }
        var failure: RecordError?
        for (index, value) in values.enumerated() where failure == nil {
            do { unsafe try store(value, to: items + index * element.stride, as: element) } catch {
                failure = error.inside("[\(index)]")
            }
        }
        let list = ValueType.list(element)
        if let failure {
            unsafe withUnsafeTemporaryAllocation(byteCount: 16, alignment: 8) { discarded in
                unsafe discarded.storeBytes(of: block, as: UnsafeRawPointer.self)
                unsafe discarded.storeBytes(of: values.count, toByteOffset: 8, as: Int.self)
                unsafe destroy(discarded.baseAddress!, as: list)
            }
            throw failure
        }
        unsafe destroy(memory, as: list)
        unsafe memory.storeBytes(of: block, as: UnsafeRawPointer.self)
        unsafe memory.storeBytes(of: values.count, toByteOffset: 8, as: Int.self)
    }
}

extension RecordError {
    static func doesNotFit(_ value: String, _ type: ValueType) -> RecordError {
        let range = if case .integer(let integer) = type { " (\(integer.range))" } else { "" }
        return RecordError(.outOfRange, "`\(value)` does not fit `\(type.name)`\(range)")
    }
}

extension ValueType {
    /// True for `T?`, whose zero value is null.
    public var isOptional: Bool { if case .optional = self { true } else { false } }
}

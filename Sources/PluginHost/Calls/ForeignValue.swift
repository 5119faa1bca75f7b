import Glibc
import Interfaces
import Records

/// Copies values that a plugin wrote, as C values of a type's layout, into memory of the host. Content is
/// checked, so that no record becomes invalid. Whether a pointer is valid cannot be checked.
enum ForeignValue {
    /// Replaces an initialised value of the received type by a copy of the C value at `source`.
    ///
    /// - Throws: as the function below, and for a null `char *` when the type is not optional.
    static func take(
        _ source: UnsafeRawPointer, to memory: UnsafeMutableRawPointer, as received: ReceivedValue
    ) throws(RecordError) {
        guard received.form == .cString else {
            unsafe try take(source, to: memory, as: received.type)
            return
        }
        // Safe because a `char *` is NUL-terminated or null, and an optional's text follows its `has`.
        guard let text = unsafe source.load(as: UnsafePointer<CChar>?.self) else {
            guard received.type.isOptional else {
                throw RecordError(.invalidText, "expected text, found null")
            }
            unsafe ValueMemory.destroy(memory, as: received.type)
            unsafe ValueMemory.initialize(memory, as: received.type)
            return
        }
        let bytes = unsafe UnsafeRawBufferPointer(start: text, count: strlen(text))
        guard received.type.isOptional else {
            unsafe try takeText(bytes, to: memory)
            return
        }
        unsafe try takeText(bytes, to: memory + received.type.wrappedOffset)
        unsafe memory.storeBytes(of: 1, as: UInt8.self)
    }

    /// Replaces an initialised value of the type by a copy of the one at `source`.
    ///
    /// - Throws: `RecordError` for text that is not UTF-8, for a null pointer with a size, and for a number
    ///   that is no member of an enumeration. The memory then holds a value of the type. A record or array in
    ///   it may be the new one in part.
    static func take(
        _ source: UnsafeRawPointer, to memory: UnsafeMutableRawPointer, as type: ValueType
    ) throws(RecordError) {
        // Safe because the source has the type's size and layout, and the memory holds a value of it.
        switch type {
        case .bool: unsafe memory.storeBytes(of: source.load(as: UInt8.self) == 0 ? 0 : 1, as: UInt8.self)
        case .integer, .float, .double, .duration, .timestamp, .pointer:
            unsafe memcpy(memory, source, type.size)
        case .enumeration(let enumeration):
            let index = unsafe source.load(as: Int32.self)
            guard enumeration.members.indices.contains(Int(index)) else {
                throw RecordError(
                    .outOfRange, "`\(index)` is none of the \(enumeration.members.count) members")
            }
            unsafe memory.storeBytes(of: index, as: Int32.self)
        case .string: unsafe try takeText(items(source, stride: 1), to: memory)
        case .bytes:
            let bytes = unsafe try items(source, stride: 1)
            guard unsafe !PluginBuffers.shared.share(bytes, to: memory) else { return }
            unsafe ValueMemory.storeBytes(bytes, to: memory)
        case .list(let element):
            let items = unsafe try items(source, stride: element.stride)
            unsafe try takeList(items.baseAddress, count: items.count / element.stride, element, to: memory)
        case .array(let element, let count):
            if element.isPlain {
                unsafe memcpy(memory, source, type.size)
                return
            }
            for index in 0..<count {
                let offset = index * element.stride
                do { unsafe try take(source + offset, to: memory + offset, as: element) } catch {
                    throw error.inside("[\(index)]")
                }
            }
        case .record(let record):
            for field in record.fields {
                do {
                    unsafe try take(source + field.offset, to: memory + field.offset, as: field.type)
                } catch { throw error.inside(field.name) }
            }
        case .optional(let wrapped):
            guard unsafe source.load(as: UInt8.self) != 0 else {
                unsafe ValueMemory.destroy(memory, as: type)
                unsafe ValueMemory.initialize(memory, as: type)
                return
            }
            unsafe try take(source + type.wrappedOffset, to: memory + type.wrappedOffset, as: wrapped)
            unsafe memory.storeBytes(of: 1, as: UInt8.self)
        }
    }

    /// Replaces an initialised `string` by a copy of the bytes.
    ///
    /// - Throws: `RecordError` when they are not UTF-8.
    static func takeText(
        _ bytes: UnsafeRawBufferPointer, to memory: UnsafeMutableRawPointer
    ) throws(RecordError) {
        // Safe because the bytes are only read here.
        do throws(UTF8.ValidationError) {
            _ = unsafe try UTF8Span(validating: bytes.bindMemory(to: UInt8.self).span)
        } catch {
            throw RecordError(.invalidText, "the text is not UTF-8 at byte \(error.byteOffsets.lowerBound)")
        }
        unsafe ValueMemory.storeBytes(bytes, to: memory)
    }

    /// Replaces an initialised list by copies of `count` elements at `items`.
    static func takeList(
        _ items: UnsafeRawPointer?, count: Int, _ element: ValueType, to memory: UnsafeMutableRawPointer
    ) throws(RecordError) {
        // Safe because the elements are there when there are any, and the copies are released after being
        // shared.
        guard let items = unsafe items, count > 0 else {
            unsafe ValueMemory.storeList(memory, count: 0, element: element, to: memory)
            return
        }
        guard !element.isPlain else {
            unsafe ValueMemory.storeList(items, count: count, element: element, to: memory)
            return
        }
        let copies = UnsafeMutableRawPointer.allocate(byteCount: count * element.stride, alignment: 8)
        defer { unsafe copies.deallocate() }
        for index in 0..<count { unsafe ValueMemory.initialize(copies + index * element.stride, as: element) }
        defer {
            for index in 0..<count {
                unsafe ValueMemory.destroy(copies + index * element.stride, as: element)
            }
        }
        for index in 0..<count {
            let offset = index * element.stride
            do { unsafe try take(items + offset, to: copies + offset, as: element) } catch {
                throw error.inside("[\(index)]")
            }
        }
        unsafe ValueMemory.storeList(copies, count: count, element: element, to: memory)
    }

    /// The memory that a pointer and a count at `source` describe.
    private static func items(
        _ source: UnsafeRawPointer, stride: Int
    ) throws(RecordError) -> UnsafeRawBufferPointer {
        // Safe because strings, bytes and lists are a pointer and a count.
        let address = unsafe source.load(as: UnsafeRawPointer?.self)
        let count = unsafe source.load(fromByteOffset: 8, as: UInt.self)
        guard count > 0 else { return unsafe UnsafeRawBufferPointer(start: nil, count: 0) }
        guard let address = unsafe address else {
            throw RecordError(.invalidText, "a null pointer comes with a size of \(count)")
        }
        let size = count.multipliedReportingOverflow(by: UInt(stride))
        guard !size.overflow, size.partialValue <= largest else {
            throw RecordError(.outOfRange, "a size of \(count) is beyond the limit of 1 GiB")
        }
        return unsafe UnsafeRawBufferPointer(start: address, count: Int(size.partialValue))
    }

    /// More bytes than this in one value are a mistake of the plugin.
    private static let largest: UInt = 1 << 30
}

extension ValueType {
    /// True when any bytes of the type's size are a value of it.
    var isPlain: Bool {
        switch self {
        case .integer, .float, .double, .duration, .timestamp, .pointer: true
        case .bool, .string, .bytes, .enumeration, .list, .optional: false
        case .array(let element, _): element.isPlain
        case .record(let type): type.fields.allSatisfy(\.type.isPlain)
        }
    }
}

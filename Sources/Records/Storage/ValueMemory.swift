import CForeignCall

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Operations on values in raw memory in C layout: initialise, copy, destroy and compare them by their type.
///
/// Strings, bytes and lists point to reference-counted blocks (`foreign_block.h`). A stored block never
/// changes, so a copy retains it. Every function expects memory of the type's size and alignment.
public enum ValueMemory {
    /// Writes the zero value: zero, false, empty, absent, the first member.
    public static func initialize(_ memory: UnsafeMutableRawPointer, as type: ValueType) {
        // Safe because the caller promises memory of the type's size.
        if case .record(let record) = type { return unsafe initialize(memory, as: record) }
        unsafe memset(memory, 0, type.size)
        switch type {
        case .string, .bytes, .list:
            unsafe memory.storeBytes(of: foreign_block_empty(), as: UnsafeRawPointer.self)
        case .array(let element, let count) where !element.isTrivial:
            for index in 0..<count { unsafe initialize(memory + index * element.stride, as: element) }
        case .optional(let wrapped) where !wrapped.isTrivial:
            unsafe initialize(memory + type.wrappedOffset, as: wrapped)
        default: break
        }
    }

    /// Retains every block that the value at `memory` points to. The caller must call it after a byte copy.
    public static func retain(_ memory: UnsafeRawPointer, as type: ValueType) {
        // Safe because the memory holds an initialised value of the type.
        switch type {
        case .string, .bytes, .list:
            unsafe foreign_block_retain(memory.load(as: UnsafeRawPointer.self))
        case .record(let record): unsafe retain(memory, as: record)
        case .array(let element, let count) where !element.isTrivial:
            for index in 0..<count { unsafe retain(memory + index * element.stride, as: element) }
        case .optional(let wrapped) where !wrapped.isTrivial:
            unsafe retain(memory + type.wrappedOffset, as: wrapped)
        default: break
        }
    }

    /// Releases every block that the value at `memory` points to. The memory is then uninitialised.
    public static func destroy(_ memory: UnsafeRawPointer, as type: ValueType) {
        // Safe because the memory holds an initialised value of the type, and the last owner frees a block.
        switch type {
        case .string, .bytes:
            let payload = unsafe memory.load(as: UnsafeRawPointer.self)
            if unsafe foreign_block_release(payload) { unsafe foreign_block_free(payload) }
        case .list(let element):
            let payload = unsafe memory.load(as: UnsafeRawPointer.self)
            guard unsafe foreign_block_release(payload) else { return }
            if !element.isTrivial {
                for index in 0..<(unsafe memory.load(fromByteOffset: 8, as: Int.self)) {
                    unsafe destroy(payload + index * element.stride, as: element)
                }
            }
            unsafe foreign_block_free(payload)
        case .record(let record): unsafe destroy(memory, as: record)
        case .array(let element, let count) where !element.isTrivial:
            for index in 0..<count { unsafe destroy(memory + index * element.stride, as: element) }
        case .optional(let wrapped) where !wrapped.isTrivial:
            unsafe destroy(memory + type.wrappedOffset, as: wrapped)
        default: break
        }
    }

    /// Replaces an initialised value with a copy of another value of the same type. Both may be at the same
    /// address.
    public static func assign(
        _ target: UnsafeMutableRawPointer, from source: UnsafeRawPointer, as type: ValueType
    ) {
        // Safe because both hold initialised values of the type. The source is retained first, because both
        // may be the same.
        if !type.isTrivial {
            unsafe retain(source, as: type)
            unsafe destroy(target, as: type)
        }
        unsafe memmove(target, source, type.size)
    }

    /// True when both hold the same content.
    /// Numbers are compared by their bits, strings by their bytes. All absent values are equal.
    public static func equal(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer, as type: ValueType) -> Bool
    {
        // Safe because both hold initialised values of the type.
        switch type {
        case .string, .bytes:
            let (a, b) = unsafe (left.load(as: UnsafeRawPointer.self), right.load(as: UnsafeRawPointer.self))
            let size = unsafe left.load(fromByteOffset: 8, as: Int.self)
            return unsafe size == right.load(fromByteOffset: 8, as: Int.self)
                && (a == b || memcmp(a, b, size) == 0)
        case .list(let element):
            let (a, b) = unsafe (left.load(as: UnsafeRawPointer.self), right.load(as: UnsafeRawPointer.self))
            let count = unsafe left.load(fromByteOffset: 8, as: Int.self)
            guard unsafe count == right.load(fromByteOffset: 8, as: Int.self) else { return false }
            return unsafe a == b
                || (0..<count).allSatisfy { index in
                    unsafe equal(a + index * element.stride, b + index * element.stride, as: element)
                }
        case .array(let element, let count):
            return (0..<count).allSatisfy { index in
                unsafe equal(left + index * element.stride, right + index * element.stride, as: element)
            }
        case .record(let record): return unsafe equal(left, right, as: record)
        case .optional(let wrapped):
            let has = unsafe left.load(as: UInt8.self)
            guard unsafe has == right.load(as: UInt8.self) else { return false }
            return unsafe has == 0
                || equal(left + type.wrappedOffset, right + type.wrappedOffset, as: wrapped)
        default:
            return unsafe memcmp(left, right, type.size) == 0
        }
    }
}

extension ValueType {
    /// The offset in bytes of the value of an optional, which is laid out as `struct { bool has; T value; }`.
    public var wrappedOffset: Int {
        guard case .optional(let wrapped) = self else {
            preconditionFailure("only an optional wraps a value")
        }
        return wrapped.alignment
    }
}

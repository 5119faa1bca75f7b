import Expressions
import Records

/// Scalars as words of 1, 2, 4 or 8 bytes: compared and copied by their bits, without a look at their type.
enum WordSize {
    /// Copies `size` bytes between aligned places.
    @inline(__always)
    static func copy(_ size: Int, from source: UnsafeRawPointer, to target: UnsafeMutableRawPointer) {
        // Safe because the caller promises both places.
        switch size {
        case 8: unsafe target.storeBytes(of: source.load(as: UInt64.self), as: UInt64.self)
        case 4: unsafe target.storeBytes(of: source.load(as: UInt32.self), as: UInt32.self)
        case 2: unsafe target.storeBytes(of: source.load(as: UInt16.self), as: UInt16.self)
        default: unsafe target.storeBytes(of: source.load(as: UInt8.self), as: UInt8.self)
        }
    }

    /// Whether the `size` bytes at two aligned places are equal.
    @inline(__always)
    static func equal(_ size: Int, _ left: UnsafeRawPointer, _ right: UnsafeRawPointer) -> Bool {
        // Safe because the caller promises both places.
        switch size {
        case 8: unsafe left.load(as: UInt64.self) == right.load(as: UInt64.self)
        case 4: unsafe left.load(as: UInt32.self) == right.load(as: UInt32.self)
        case 2: unsafe left.load(as: UInt16.self) == right.load(as: UInt16.self)
        default: unsafe left.load(as: UInt8.self) == right.load(as: UInt8.self)
        }
    }
}

extension ValueType {
    /// The size in bytes of a scalar; nil for types that are more than one word or own memory.
    var wordSize: Int? {
        switch self {
        case .bool, .integer, .float, .double, .duration, .timestamp, .enumeration, .pointer: size
        case .string, .bytes, .list, .array, .record, .optional: nil
        }
    }
}

extension FieldReference {
    /// The field's place in memory, without its type.
    struct Place {
        let slot: Int
        let offset: Int
    }

    /// The field's place in memory.
    var place: Place { Place(slot: slot, offset: offset) }
}

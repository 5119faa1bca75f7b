public import Records

/// The key of one instance of a loop.
public enum LoopKey: Hashable, Sendable {
    case string(String)
    case int(Int64)
    case uint(UInt64)
    case bytes([UInt8])

    /// Two strings are the same key if their bytes are. `String` compares letters, which have several forms.
    public static func == (left: LoopKey, right: LoopKey) -> Bool {
        switch (left, right) {
        case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
        case (.int(let left), .int(let right)): left == right
        case (.uint(let left), .uint(let right)): left == right
        case (.bytes(let left), .bytes(let right)): left == right
        default: false
        }
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .string(var text):
            text.withUTF8 { bytes in
                // Safe because the bytes are used within the call.
                unsafe hasher.combine(bytes: UnsafeRawBufferPointer(bytes))
            }
        case .int(let number): hasher.combine(number)
        case .uint(let number): hasher.combine(number)
        case .bytes(let bytes): hasher.combine(bytes)
        }
    }

    /// The greatest number of bytes of a key.
    public static let mostBytes = 1024

    /// The key that a record has in its field `key`.
    ///
    /// - Precondition: the field has the type of a `KeyModel.Kind`.
    /// - Throws: if the key is longer than `mostBytes`.
    public init(in record: Record) throws(TooLong) {
        let size: Int
        switch record[KeyModel.name] {
        case .string(let text)?: (self, size) = (.string(text), text.utf8.count)
        case .int(let number)?: (self, size) = (.int(number), 8)
        case .uint(let number)?: (self, size) = (.uint(number), 8)
        case .bytes(let bytes)?: (self, size) = (.bytes(bytes), bytes.count)
        default: preconditionFailure("the record has a key")
        }
        guard size <= Self.mostBytes else { throw TooLong(size: size) }
    }

    /// A key of too many bytes.
    public struct TooLong: Error, CustomStringConvertible {
        /// Its number of bytes.
        public let size: Int

        /// Both sizes in one sentence.
        public var description: String {
            "a key has at most \(LoopKey.mostBytes) bytes, and this one has \(size)"
        }
    }

    /// The key as the value of a field.
    public var value: Value {
        switch self {
        case .string(let text): .string(text)
        case .int(let number): .int(number)
        case .uint(let number): .uint(number)
        case .bytes(let bytes): .bytes(bytes)
        }
    }
}

extension LoopModel {
    /// The key of the instance that a state belongs to; nil for a loop without a key.
    public func key(of state: Record) -> LoopKey? { key == nil ? nil : try? LoopKey(in: state) }
}

extension LoopKey: CustomStringConvertible {
    /// A string as it is, if it is a word; any other value as JSON.
    public var description: String {
        guard case .string(let text) = self, !text.isEmpty,
            text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "\"") })
        else { return value.json }
        return text
    }
}

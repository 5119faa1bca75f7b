/// An integer type of C with a fixed width.
public enum IntegerType: String, Hashable, Sendable, CaseIterable {
    case i8, i16, i32, i64, u8, u16, u32, u64

    /// Width in bytes: 1, 2, 4 or 8.
    public var size: Int {
        switch self {
        case .i8, .u8: 1
        case .i16, .u16: 2
        case .i32, .u32: 4
        case .i64, .u64: 8
        }
    }

    /// True for the types that can hold negative numbers.
    public var isSigned: Bool {
        switch self {
        case .i8, .i16, .i32, .i64: true
        case .u8, .u16, .u32, .u64: false
        }
    }

    /// The type of this width in bytes and this signedness; nil when there is none.
    public init?(size: Int, isSigned: Bool) {
        guard let found = Self.allCases.first(where: { $0.size == size && $0.isSigned == isSigned }) else {
            return nil
        }
        self = found
    }

    /// The smallest and largest value as text, for messages.
    public var range: String {
        switch self {
        case .i8: "\(Int8.min) to \(Int8.max)"
        case .i16: "\(Int16.min) to \(Int16.max)"
        case .i32: "\(Int32.min) to \(Int32.max)"
        case .i64: "\(Int64.min) to \(Int64.max)"
        case .u8: "0 to \(UInt8.max)"
        case .u16: "0 to \(UInt16.max)"
        case .u32: "0 to \(UInt32.max)"
        case .u64: "0 to \(UInt64.max)"
        }
    }
}

import CForeignCall

/// A C type as libffi describes it. It keeps the types of its members alive.
@safe
public final class ForeignType: Sendable {
    // Safe because `init` computes the layout, and libffi only reads the type afterwards.
    nonisolated(unsafe) private let owned: OpaquePointer?
    // Safe because it is the same pointer, or a scalar that is never freed.
    nonisolated(unsafe) private let pointer: OpaquePointer
    private let members: [ForeignType]

    /// Offset in bytes of each member of a structure; empty for a scalar.
    public let offsets: [Int]

    /// A scalar. `kind` is one of the `FOREIGN_…` constants.
    public init(scalar kind: Int) {
        // Safe because the pointer is to a constant of libffi, which is never freed.
        guard let scalar = unsafe foreign_type_scalar(Int32(kind)) else {
            preconditionFailure("unknown scalar")
        }
        unsafe (owned, pointer) = (nil, scalar)
        (members, offsets) = ([], [])
    }

    /// A structure. libffi computes its layout (`ffi_get_struct_offsets`).
    ///
    /// - Precondition: at least one member.
    public init(members: [ForeignType]) {
        precondition(!members.isEmpty, "a C structure has members")
        var offsets = [Int](repeating: 0, count: members.count)
        // Safe because libffi keeps the members' pointers, and `self.members` keeps the types alive.
        let pointers = unsafe members.map { unsafe Optional($0.pointer) }
        let made = unsafe pointers.withUnsafeBufferPointer { members in
            unsafe foreign_type_structure(members.baseAddress, members.count, &offsets)
        }
        guard let made = unsafe made else {
            preconditionFailure("libffi lays out every structure of known members")
        }
        unsafe (owned, pointer) = (made, made)
        self.members = members
        self.offsets = offsets
    }

    /// An opaque structure of the given size and alignment.
    ///
    /// - Precondition: the alignment is 1, 2, 4 or 8, and the size a multiple of it, above 0.
    static func opaque(size: Int, alignment: Int) -> ForeignType {
        let scalar =
            switch alignment {
            case 1: ForeignType(scalar: FOREIGN_U8)
            case 2: ForeignType(scalar: FOREIGN_U16)
            case 4: ForeignType(scalar: FOREIGN_U32)
            default: ForeignType(scalar: FOREIGN_U64)
            }
        return ForeignType(members: Array(repeating: scalar, count: size / alignment))
    }

    deinit {
        // Safe because this object is the only owner.
        if let owned = unsafe owned { unsafe foreign_type_destroy(owned) }
    }

    /// Size in bytes.
    public var size: Int { unsafe foreign_type_size(pointer) }

    /// Alignment in bytes.
    public var alignment: Int { unsafe foreign_type_alignment(pointer) }

    /// libffi's description, for a call interface. Valid while this object lives.
    public var unsafePointer: OpaquePointer { unsafe pointer }
}

extension ValueType {
    /// The libffi description of this type, for an argument passed by value or a member of a structure.
    public var foreignType: ForeignType {
        switch self {
        case .bool: ForeignType(scalar: FOREIGN_U8)
        case .integer(let integer):
            switch integer {
            case .i8: ForeignType(scalar: FOREIGN_I8)
            case .i16: ForeignType(scalar: FOREIGN_I16)
            case .i32: ForeignType(scalar: FOREIGN_I32)
            case .i64: ForeignType(scalar: FOREIGN_I64)
            case .u8: ForeignType(scalar: FOREIGN_U8)
            case .u16: ForeignType(scalar: FOREIGN_U16)
            case .u32: ForeignType(scalar: FOREIGN_U32)
            case .u64: ForeignType(scalar: FOREIGN_U64)
            }
        case .float: ForeignType(scalar: FOREIGN_F32)
        case .double: ForeignType(scalar: FOREIGN_F64)
        case .duration, .timestamp: ForeignType(scalar: FOREIGN_I64)
        case .enumeration: ForeignType(scalar: FOREIGN_I32)
        case .pointer: ForeignType(scalar: FOREIGN_POINTER)
        case .string, .bytes, .list:
            ForeignType(members: [ForeignType(scalar: FOREIGN_POINTER), ForeignType(scalar: FOREIGN_U64)])
        case .array(let element, let count):
            ForeignType(members: Array(repeating: element.foreignType, count: count))
        case .record(let type): type.foreignType
        case .optional(let wrapped):
            ForeignType(members: [ForeignType(scalar: FOREIGN_U8), wrapped.foreignType])
        }
    }
}

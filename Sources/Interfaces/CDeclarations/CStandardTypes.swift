import Glibc
import Records

/// The typedefs that need no declaration.
enum CStandardTypes {
    /// The types of `stddef.h`, `stdint.h`, `sys/types.h` and similar headers, with the widths of this
    /// platform, and those of `spinhost/plugin.h`.
    static let typedefs: [String: CType] = {
        var types: [String: CType] = [
            "spin_string": .string, "spin_bytes": .bytes,
            "spin_duration": .duration, "spin_timestamp": .timestamp,
            "spin_status": integer(Int32.self), "spin_call": .incomplete("spin_call"),
            "spin_self": .incomplete("spin_self"),
            "FILE": .incomplete("_IO_FILE"),
        ]
        let integers: [(String, any FixedWidthInteger.Type)] = [
            ("int8_t", Int8.self), ("int16_t", Int16.self), ("int32_t", Int32.self), ("int64_t", Int64.self),
            ("uint8_t", UInt8.self), ("uint16_t", UInt16.self), ("uint32_t", UInt32.self),
            ("uint64_t", UInt64.self),
            ("__s8", Int8.self), ("__s16", Int16.self), ("__s32", Int32.self), ("__s64", Int64.self),
            ("__u8", UInt8.self), ("__u16", UInt16.self), ("__u32", UInt32.self), ("__u64", UInt64.self),
            ("intmax_t", intmax_t.self), ("uintmax_t", uintmax_t.self), ("intptr_t", Int.self),
            ("uintptr_t", UInt.self), ("ptrdiff_t", Int.self), ("size_t", UInt.self), ("ssize_t", Int.self),
            ("off_t", off_t.self), ("off64_t", Int64.self), ("loff_t", Int64.self), ("time_t", time_t.self),
            ("suseconds_t", suseconds_t.self), ("useconds_t", useconds_t.self), ("clock_t", clock_t.self),
            ("clockid_t", clockid_t.self), ("pid_t", pid_t.self), ("uid_t", uid_t.self),
            ("gid_t", gid_t.self),
            ("id_t", id_t.self), ("key_t", key_t.self), ("mode_t", mode_t.self), ("dev_t", dev_t.self),
            ("ino_t", ino_t.self), ("ino64_t", UInt64.self), ("nlink_t", nlink_t.self),
            ("blksize_t", blksize_t.self),
            ("blkcnt_t", blkcnt_t.self), ("blkcnt64_t", Int64.self), ("fsblkcnt_t", fsblkcnt_t.self),
            ("fsblkcnt64_t", UInt64.self), ("fsfilcnt_t", fsfilcnt_t.self), ("fsfilcnt64_t", UInt64.self),
            ("socklen_t", socklen_t.self), ("sa_family_t", sa_family_t.self), ("in_addr_t", in_addr_t.self),
            ("in_port_t", in_port_t.self), ("nfds_t", nfds_t.self), ("rlim_t", rlim_t.self),
            ("char16_t", UInt16.self), ("char32_t", UInt32.self), ("u_char", UInt8.self),
            ("u_short", UInt16.self),
            ("u_int", UInt32.self), ("u_long", UInt.self), ("uint", UInt32.self), ("ushort", UInt16.self),
            ("ulong", UInt.self),
        ]
        for (name, type) in integers { types[name] = integer(type) }
        types.merge(lists) { known, _ in known }
        return types
    }()

    /// The lists and optionals of `spinhost/plugin.h`.
    private static let lists: [String: CType] = {
        let integers = IntegerType.allCases.map {
            ("\($0.isSigned ? "" : "u")int\($0.size * 8)_t", ValueType.integer($0))
        }
        let types: [(String, ValueType)] =
            integers + [
                ("bool", .bool), ("float", .float), ("double", .double), ("duration", .duration),
                ("timestamp", .timestamp), ("string", .string), ("bytes", .bytes),
            ]
        return types.reduce(into: [:]) { lists, type in
            lists.merge(CValue.listAndOptional(of: type.1, named: type.0)) { known, _ in known }
        }
    }()

    private static func integer<Integer: FixedWidthInteger>(_ type: Integer.Type) -> CType {
        guard let integer = IntegerType(size: MemoryLayout<Integer>.size, isSigned: Integer.isSigned) else {
            preconditionFailure("C integers have 1, 2, 4 or 8 bytes")
        }
        return .integer(integer)
    }
}

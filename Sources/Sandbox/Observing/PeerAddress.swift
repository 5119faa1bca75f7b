import Glibc

/// The texts of addresses and sockets in accesses.
enum PeerAddress {
    /// That of the bytes of a `sockaddr`.
    static func text(_ bytes: [UInt8]?) -> String {
        guard let bytes, bytes.count >= 4 else { return "unknown" }
        // The family is in the order of the machine, a port in that of the network.
        switch Int32(bytes[0]) | Int32(bytes[1]) << 8 {
        case AF_INET, AF_INET6: return "tcp:\(UInt16(bytes[2]) << 8 | UInt16(bytes[3]))"
        case AF_UNIX:
            let isAbstract = bytes[2] == 0
            let name = bytes.dropFirst(isAbstract ? 3 : 2).prefix { $0 != 0 }
            return "unix:\(isAbstract ? "@" : "")\(String(decoding: name, as: UTF8.self))"
        case let family: return "family \(family)"
        }
    }

    /// That of a socket, by the arguments of socket(2).
    static func text(family: UInt64, type: UInt64) -> String {
        switch (Int32(truncatingIfNeeded: family), type & 0xf) {
        case (AF_UNIX, _): "unix"
        case (AF_INET, 1), (AF_INET6, 1): "tcp"
        case (AF_INET, 2), (AF_INET6, 2): "udp"
        case (let family, _): "family \(family)"
        }
    }
}

/// An IP address, or a range of addresses in CIDR notation, such as `10.0.0.0/8`.
///
/// A range keeps the bits behind its prefix: `10.0.0.1/8` and `10.0.0.0/8` differ.
public struct NetworkAddress: Hashable, Sendable {
    /// The bits of the address. An IPv4 address has the last 32.
    public let bits: UInt128
    /// True for an IPv4 address, false for an IPv6 address.
    public let isIPv4: Bool
    /// How many bits all addresses of the range share; nil for a single address.
    public let prefixLength: Int?

    /// - Precondition: bits and prefix are no longer than an address of the family.
    public init(bits: UInt128, isIPv4: Bool, prefixLength: Int? = nil) {
        (self.bits, self.isIPv4, self.prefixLength) = (bits, isIPv4, prefixLength)
        precondition(
            bits.leadingZeroBitCount >= 128 - width && (0...width).contains(prefixLength ?? 0),
            "bits and prefix are no longer than an address")
    }

    /// The number of bits of an address of this family.
    public var width: Int { isIPv4 ? 32 : 128 }

    /// The name of the type in the expression language.
    var kind: String { prefixLength == nil ? "net.IP" : "net.CIDR" }
}

extension NetworkAddress: CustomStringConvertible {
    /// The canonical text (RFC 5952), with the length of the prefix after a `/`.
    public var description: String {
        let address = isIPv4 ? octets : groups
        return if let prefixLength { "\(address)/\(prefixLength)" } else { address }
    }

    private var octets: String {
        (1...4).map { String(UInt8(truncatingIfNeeded: bits >> (32 - 8 * $0))) }.joined(separator: ".")
    }

    /// Eight groups of hexadecimal digits. `::` replaces the first of the longest runs of at least two zeros.
    private var groups: String {
        let groups = (1...8).map { UInt16(truncatingIfNeeded: bits >> (128 - 16 * $0)) }
        var (longest, run) = (0..<0, 0)
        for (index, group) in groups.enumerated() {
            run = group == 0 ? run + 1 : 0
            if run > max(1, longest.count) { longest = index + 1 - run..<index + 1 }
        }
        func text(_ part: ArraySlice<UInt16>) -> String {
            part.map { String($0, radix: 16) }.joined(separator: ":")
        }
        guard !longest.isEmpty else { return text(groups[...]) }
        return "\(text(groups[..<longest.lowerBound]))::\(text(groups[longest.upperBound...]))"
    }
}

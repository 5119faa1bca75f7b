import Diagnostics
import Records

extension Overload {
    /// The functions of cel-go for IP addresses and ranges of them: github.com/google/cel-go, ext/network.go.
    static let network: [String: [Overload]] = [
        "ip": [
            Overload(values: [.string], .ip) { arguments, range throws(EvaluationFault) in
                .network(try readAddress(arguments[0].text, at: range))
            }
        ],
        "cidr": [
            Overload(values: [.string], .cidr) { arguments, range throws(EvaluationFault) in
                .network(try readRange(arguments[0].text, at: range))
            }
        ],
        "isIP": [
            Overload(values: [.string], .bool) { arguments, _ in
                .bool((try? AddressReader.address(arguments[0].text)) != nil)
            }
        ],
        "isCIDR": [
            Overload(values: [.string], .bool) { arguments, _ in
                .bool((try? AddressReader.range(arguments[0].text)) != nil)
            }
        ],
        "ip.isCanonical": [
            Overload(values: [.string], .bool) { arguments, range throws(EvaluationFault) in
                .bool(try readAddress(arguments[0].text, at: range).description == arguments[0].text)
            }
        ],
        "string": [
            function(of: .ip, .string) { .string($0.description) },
            function(of: .cidr, .string) { .string($0.description) },
        ],
        ".family": [function(of: .ip, .int) { .int($0.isIPv4 ? 4 : 6) }],
        ".isUnspecified": [function(of: .ip, .bool) { .bool($0.isUnspecified) }],
        ".isLoopback": [function(of: .ip, .bool) { .bool($0.isLoopback) }],
        ".isGlobalUnicast": [function(of: .ip, .bool) { .bool($0.isGlobalUnicast) }],
        ".isLinkLocalMulticast": [function(of: .ip, .bool) { .bool($0.isLinkLocalMulticast) }],
        ".isLinkLocalUnicast": [function(of: .ip, .bool) { .bool($0.isLinkLocalUnicast) }],
        ".ip": [function(of: .cidr, .ip) { .network($0.single) }],
        ".prefixLength": [function(of: .cidr, .int) { .int(Int64($0.prefixLength ?? $0.width)) }],
        ".masked": [function(of: .cidr, .cidr) { .network($0.masked) }],
        ".isMask": [function(of: .cidr, .bool) { .bool($0 == $0.masked) }],
        ".containsIP": contains(.ip, readAddress),
        ".containsCIDR": contains(.cidr, readRange),
    ]

    private static func function(
        of type: ExpressionType, _ result: ExpressionType,
        _ function: @escaping @Sendable (NetworkAddress) -> Value
    ) -> Overload {
        Overload(values: [type], result) { arguments, _ in function(arguments[0].address) }
    }

    /// The methods of a range that take a part of it, or its text.
    private static func contains(
        _ part: ExpressionType,
        _ read: @escaping @Sendable (String, Range<Int>) throws(EvaluationFault) -> NetworkAddress
    ) -> [Overload] {
        [
            Overload(values: [.cidr, part], .bool) { arguments, _ in
                .bool(arguments[0].address.contains(arguments[1].address))
            },
            Overload(values: [.cidr, .string], .bool) { arguments, range throws(EvaluationFault) in
                .bool(arguments[0].address.contains(try read(arguments[1].text, range)))
            },
        ]
    }

    @Sendable
    private static func readAddress(
        _ text: String, at range: Range<Int>
    ) throws(EvaluationFault) -> NetworkAddress {
        do throws(AddressReader.Failure) { return try AddressReader.address(text) } catch {
            throw notText(text, of: "an IP address", error, at: range)
        }
    }

    @Sendable
    private static func readRange(
        _ text: String, at range: Range<Int>
    ) throws(EvaluationFault) -> NetworkAddress {
        do throws(AddressReader.Failure) { return try AddressReader.range(text) } catch {
            throw notText(text, of: "a range such as `10.0.0.0/8`", error, at: range)
        }
    }

    private static func notText(
        _ text: String, of what: String, _ failure: AddressReader.Failure, at range: Range<Int>
    ) -> EvaluationFault {
        notText(
            text, of: "\(what): at character \(failure.position), \(failure.reason)", at: range)
    }
}

extension Value {
    fileprivate var address: NetworkAddress {
        guard case .network(let address) = self else {
            preconditionFailure("the checker lets only addresses and ranges through")
        }
        return address
    }
}

/// The kinds of addresses, as `net/netip` of Go defines them.
extension NetworkAddress {
    fileprivate var isUnspecified: Bool { bits == 0 }

    fileprivate var isLoopback: Bool { isIPv4 ? starts(127, 8) : bits == 1 }

    private var isMulticast: Bool { isIPv4 ? starts(0xE, 4) : starts(0xFF, 8) }

    fileprivate var isLinkLocalUnicast: Bool { isIPv4 ? starts(0xA9FE, 16) : starts(0x3FA, 10) }

    /// For IPv6, the four bits between `ff` and the scope `2` are flags.
    fileprivate var isLinkLocalMulticast: Bool {
        isIPv4 ? starts(0xE00000, 24) : bits >> 112 & 0xFF0F == 0xFF02
    }

    /// Also true for the addresses of private networks.
    fileprivate var isGlobalUnicast: Bool {
        !isUnspecified && !isLoopback && !isMulticast && !isLinkLocalUnicast
            && !(isIPv4 && bits == 0xFFFF_FFFF)
    }

    private func starts(_ prefix: UInt128, _ length: Int) -> Bool { bits >> (width - length) == prefix }

    /// The address of a range.
    fileprivate var single: NetworkAddress { NetworkAddress(bits: bits, isIPv4: isIPv4) }

    /// The range without the bits behind its prefix.
    fileprivate var masked: NetworkAddress {
        let free = width - (prefixLength ?? width)
        return NetworkAddress(bits: (bits >> free) << free, isIPv4: isIPv4, prefixLength: prefixLength)
    }

    /// True when all of an address or a range is in this range.
    fileprivate func contains(_ part: NetworkAddress) -> Bool {
        let length = prefixLength ?? width
        return isIPv4 == part.isIPv4 && length <= part.prefixLength ?? part.width
            && bits >> (width - length) == part.bits >> (width - length)
    }
}

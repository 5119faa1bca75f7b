import Records

/// Reads an IP address or a range of addresses from text. It takes the texts that `net/netip` of Go takes, but
/// no zones.
///
/// An IPv4 address within IPv6 is refused in the form `::ffff:10.0.0.1`. In the form `::ffff:a00:1`, it is the
/// IPv4 address. CEL's conformance tests require both.
struct AddressReader {
    /// What is wrong with a text, and where.
    struct Failure: Error {
        let reason: String
        /// The number of the character, from 1.
        let position: Int
    }

    /// More bytes than any address or range has. So the time does not grow with the text.
    private static let longest = 64

    private let text: [UInt8]
    private var index = 0
    /// True after an IPv4 address in the place of the last two groups of an IPv6 address.
    private var hasIPv4 = false

    private init(_ text: String) { self.text = Array(text.utf8.prefix(Self.longest)) }

    /// The address that a text says.
    static func address(_ text: String) throws(Failure) -> NetworkAddress {
        var reader = AddressReader(text)
        let address = try reader.address()
        try reader.checkEnd()
        guard address.isMapped else { return address }
        guard !reader.hasIPv4 else { throw Failure(reason: mapped, position: 1) }
        return NetworkAddress(bits: address.bits & 0xFFFF_FFFF, isIPv4: true)
    }

    /// The range that a text says, such as `10.0.0.0/8`.
    static func range(_ text: String) throws(Failure) -> NetworkAddress {
        var reader = AddressReader(text)
        let address = try reader.address()
        guard !address.isMapped else { throw Failure(reason: mapped, position: 1) }
        guard reader.take("/") else { throw reader.failure("expected `/` and the length of the prefix") }
        let length = try reader.decimal(upTo: address.width, "the length of the prefix")
        try reader.checkEnd()
        return NetworkAddress(bits: address.bits, isIPv4: address.isIPv4, prefixLength: length)
    }

    private static let mapped = "IPv4 within IPv6 is not allowed"

    private mutating func address() throws(Failure) -> NetworkAddress {
        switch text.first(where: { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: ":") }) {
        case UInt8(ascii: "."): NetworkAddress(bits: UInt128(try readIPv4()), isIPv4: true)
        case UInt8(ascii: ":"): NetworkAddress(bits: try readIPv6(), isIPv4: false)
        default: throw failure("expected an IPv4 or IPv6 address")
        }
    }

    private mutating func readIPv4() throws(Failure) -> UInt32 {
        var bits: UInt32 = 0
        for field in 0..<4 {
            if field > 0, !take(".") { throw failure("expected `.`: an IPv4 address has four numbers") }
            bits = bits << 8 | UInt32(try decimal(upTo: 255, "a number of 0 to 255"))
        }
        return bits
    }

    private mutating func readIPv6() throws(Failure) -> UInt128 {
        var groups: [UInt16] = []
        // How many groups are before the `::`.
        var gap: Int?
        if take(":") {
            guard take(":") else { throw failure("expected `::`") }
            gap = 0
        }
        while groups.count < 8, gap != groups.count || !isAtEnd {
            let start = index
            groups.append(try hexadecimal())
            if take(".") {
                index = start
                groups.removeLast()
                guard groups.count == 6 || gap != nil && groups.count < 6 else {
                    throw failure("an IPv4 address stands only for the last two groups")
                }
                let bits = try readIPv4()
                groups += [UInt16(bits >> 16), UInt16(truncatingIfNeeded: bits)]
                hasIPv4 = true
                break
            }
            guard groups.count < 8, take(":") else { break }
            guard take(":") else { continue }
            guard gap == nil else { throw failure("`::` may appear only once", at: index - 2) }
            gap = groups.count
        }
        let missing = 8 - groups.count
        if let gap {
            guard missing > 0 else { throw failure("`::` stands for no group: there are eight already") }
            groups.insert(contentsOf: Array(repeating: 0, count: missing), at: gap)
        } else if missing > 0 {
            throw failure("expected `:`: an IPv6 address has eight groups, or `::`")
        }
        return groups.reduce(0) { $0 << 16 | UInt128($1) }
    }

    private mutating func hexadecimal() throws(Failure) -> UInt16 {
        let digits = text[index...].prefix { Unicode.Scalar($0).properties.isASCIIHexDigit }
        guard let value = UInt64(String(decoding: digits.prefix(5), as: UTF8.self), radix: 16) else {
            throw failure("expected a group of hexadecimal digits")
        }
        guard digits.count <= 4 else { throw failure("a group has at most four digits") }
        index += digits.count
        return UInt16(value)
    }

    /// A decimal number without a sign and without zeros before it.
    private mutating func decimal(upTo limit: Int, _ what: String) throws(Failure) -> Int {
        let digits = text[index...].prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard let first = digits.first else { throw failure("expected \(what)") }
        guard digits.count == 1 || first != UInt8(ascii: "0") else {
            throw failure("a number has no zeros before it")
        }
        guard let value = Int(String(decoding: digits.prefix(4), as: UTF8.self)), value <= limit else {
            throw failure("the number is greater than \(limit)")
        }
        index += digits.count
        return value
    }

    /// True at the end of the text, and before the prefix of a range.
    private var isAtEnd: Bool { index == text.count || text[index] == UInt8(ascii: "/") }

    private func checkEnd() throws(Failure) {
        guard index == text.count else { throw failure("expected the end") }
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard index < text.count, text[index] == UInt8(ascii: character) else { return false }
        index += 1
        return true
    }

    private func failure(_ reason: String, at index: Int? = nil) -> Failure {
        let index = index ?? self.index
        let isZone = index < text.count && text[index] == UInt8(ascii: "%")
        return Failure(reason: isZone ? "a zone is not allowed" : reason, position: index + 1)
    }
}

extension NetworkAddress {
    /// True for the addresses of IPv6 that stand for those of IPv4.
    fileprivate var isMapped: Bool { !isIPv4 && bits >> 32 == 0xFFFF }
}

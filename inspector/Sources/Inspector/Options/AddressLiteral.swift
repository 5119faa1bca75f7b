import NIOCore

/// An IP address that is written as a literal.
struct AddressLiteral: Equatable, Sendable {
    /// The address without brackets, as the system writes it.
    let text: String
    /// Whether only this machine reaches it.
    let isLoopback: Bool
    /// Whether it stands for all addresses of this machine.
    let isAny: Bool
    private let isVersion6: Bool

    /// Nil if the text is a name, or no address.
    init?(_ text: String) {
        // A socket for both versions gives an IPv4 address in the form of IPv6.
        let mapped = "::ffff:"
        let plain = text.hasPrefix(mapped) && text.contains(".") ? String(text.dropFirst(mapped.count)) : text
        guard let address = try? SocketAddress(ipAddress: plain, port: 0), let written = address.ipAddress
        else { return nil }
        self.text = written
        if case .v6 = address { isVersion6 = true } else { isVersion6 = false }
        isLoopback = isVersion6 ? written == "::1" : written.hasPrefix("127.")
        isAny = ["0.0.0.0", "::"].contains(written)
    }

    /// The address in a URL.
    var host: String { isVersion6 ? "[\(text)]" : text }
}

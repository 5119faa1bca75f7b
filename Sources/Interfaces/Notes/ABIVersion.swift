/// A version of the plugin ABI: `MAJOR.MINOR`.
public struct ABIVersion: Hashable, Comparable, Sendable {
    /// The major version. Plugins of another major version do not work.
    public let major: Int
    /// The minor version, which grows with each addition.
    public let minor: Int

    /// The version `MAJOR.MINOR`.
    public init(major: Int, minor: Int) {
        (self.major, self.minor) = (major, minor)
    }

    /// The version of this host: `SPIN_ABI_MAJOR` and `SPIN_ABI_MINOR` of `spinhost/plugin.h`.
    public static let host = ABIVersion(major: 2, minor: 0)

    /// Reads `MAJOR.MINOR`, two decimal numbers; nil for anything else.
    public init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let major = Self.number(parts[0]), let minor = Self.number(parts[1]) else {
            return nil
        }
        self.init(major: major, minor: minor)
    }

    /// A decimal number of at most nine digits.
    static func number(_ text: some StringProtocol) -> Int? {
        let isDecimal = text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        return isDecimal && (1...9).contains(text.utf8.count) ? Int(text) : nil
    }

    /// Orders by major version, then by minor.
    public static func < (left: ABIVersion, right: ABIVersion) -> Bool {
        (left.major, left.minor) < (right.major, right.minor)
    }
}

extension ABIVersion: CustomStringConvertible {
    /// `MAJOR.MINOR`.
    public var description: String { "\(major).\(minor)" }
}

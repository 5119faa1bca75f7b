/// Sizes as text.
public enum SizeText {
    /// Parses a whole number and its unit: `B`, `KiB`, `MiB`, `GiB` or `TiB`. An example is `16MiB`. The
    /// result is in bytes.
    ///
    /// The result is nil for other text, and beyond `Int`.
    public static func bytes(ofSize text: String) -> Int? {
        let digits = text.utf8.prefix { (48...57).contains($0) }
        guard !digits.isEmpty, let number = Int(String(Substring(digits))),
            let power = units.firstIndex(of: String(Substring(text.utf8.dropFirst(digits.count))))
        else { return nil }
        let (bytes, overflow) = number.multipliedReportingOverflow(by: 1 << (10 * power))
        return overflow ? nil : bytes
    }

    /// A number of bytes with the greatest unit in which it is whole: `16MiB`.
    public static func text(_ bytes: Int) -> String {
        let power = units.indices.last { bytes >= 1 << (10 * $0) && bytes % (1 << (10 * $0)) == 0 } ?? 0
        return "\(bytes >> (10 * power))\(units[power])"
    }

    private static let units = ["B", "KiB", "MiB", "GiB", "TiB"]
}

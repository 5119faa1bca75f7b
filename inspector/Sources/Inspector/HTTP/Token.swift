/// A secret of 128 bits from the system's generator, in hexadecimal digits.
struct Token: Sendable {
    let text: String

    /// A new secret.
    init() {
        var generator = SystemRandomNumberGenerator()
        text = (0..<16).map { _ in
            let digits = String(UInt8.random(in: .min ... .max, using: &generator), radix: 16)
            return digits.count == 1 ? "0\(digits)" : digits
        }.joined()
    }

    /// Whether the text is this secret. The time that it takes depends on the length of the text only.
    func matches(_ other: String) -> Bool {
        let (mine, theirs) = (Array(text.utf8), Array(other.utf8))
        var difference = mine.count ^ theirs.count
        for index in theirs.indices { difference |= Int(theirs[index] ^ mine[index % mine.count]) }
        return difference == 0
    }
}

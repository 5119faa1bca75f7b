import Diagnostics

extension ManifestDecoder {
    /// The size that a key gives, in bytes. Nil if the key is absent, and after a report.
    func size(_ table: TableReader, _ key: String, in range: ClosedRange<Int>) -> Int? {
        guard let node = table.value(key) else { return nil }
        let (size, text): (Int?, String)
        switch node.content {
        case .integer(let number): (size, text) = (Int(exactly: number), "\(number)")
        case .string(let word): (size, text) = (SizeText.bytes(ofSize: word), word)
        default: return nil
        }
        guard let size else {
            collector.error(
                .doesNotConvert, "`\(text)` is not a size, such as `16MiB`", at: node.span,
                help: ["write a whole number and its unit: `B`, `KiB`, `MiB`, `GiB` or `TiB`"])
            return nil
        }
        guard range.contains(size) else {
            let (least, greatest) = (SizeText.text(range.lowerBound), SizeText.text(range.upperBound))
            collector.error(
                .outOfRange, "`\(key)` cannot be \(text)", at: node.span,
                label: "expected \(least) to \(greatest)")
            return nil
        }
        return size
    }
}

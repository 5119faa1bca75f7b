import Diagnostics

/// A string of a manifest: its content, and where each part of it is written.
package struct StringLiteral: Sendable {
    /// The content, with resolved escapes.
    package let text: String
    /// For each UTF-8 offset in the content, and for its end, the offset in the file.
    private let offsets: Offsets

    private enum Offsets: Sendable {
        case from(Int)
        case each([Int])
    }

    /// - Parameters:
    ///   - range: the literal with its quotes.
    ///   - isOpen: whether it has no closing quote.
    init(_ bytes: [UInt8], _ range: Range<Int>, isOpen: Bool) {
        let quote = bytes[range.lowerBound]
        let isLong =
            range.count > 2 && bytes[range.lowerBound + 1] == quote && bytes[range.lowerBound + 2] == quote
        let content = range.lowerBound + 1..<max(range.upperBound - (isOpen ? 0 : 1), range.lowerBound + 1)
        if !isLong, quote == UInt8(ascii: "'") || !bytes[content].contains(UInt8(ascii: "\\")) {
            text = String(decoding: bytes[content], as: UTF8.self)
            offsets = .from(content.lowerBound)
            return
        }
        // `TOMLSource` reads a file that has the literal alone.
        let quotes = String(repeating: String(Unicode.Scalar(quote)), count: isLong ? 3 : 1)
        let literal = String(decoding: bytes[range], as: UTF8.self) + (isOpen ? quotes : "")
        let source = TOMLSource(file: SourceFile(name: "", text: literal))
        let node = TOMLNode(content: .string(""), span: source.span(0..<source.scalars.count))
        let resolved = source.text(of: node)
        var starts = [range.lowerBound]
        for scalar in source.scalars { starts.append(starts[starts.count - 1] + UTF8.width(scalar)) }
        let end = isOpen ? range.upperBound : range.upperBound - quotes.utf8.count
        text = resolved.text
        offsets = .each(
            (0...resolved.text.utf8.count).map { offset in
                min(starts[source.index(of: resolved.span(of: offset..<offset).start)], end)
            })
    }

    /// The offset in the file of an offset in the content.
    package func fileOffset(of content: Int) -> Int {
        switch offsets {
        case .from(let start): start + min(content, text.utf8.count)
        case .each(let offsets): offsets[min(content, offsets.count - 1)]
        }
    }

    /// The range in the file of a range in the content.
    package func range(_ content: Range<Int>) -> Range<Int> {
        let start = fileOffset(of: content.lowerBound)
        return start..<max(start, fileOffset(of: content.upperBound))
    }

    /// The offset in the content of an offset in the file.
    package func contentOffset(of offset: Int) -> Int {
        switch offsets {
        case .from(let start): min(max(offset - start, 0), text.utf8.count)
        case .each(let offsets): min(offsets.countBefore { $0 >= offset }, text.utf8.count)
        }
    }
}

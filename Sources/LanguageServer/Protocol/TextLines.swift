import Diagnostics
import Manifest
import Records

/// A text with its lines, and its positions as the protocol counts them.
struct TextLines: Sendable {
    /// What the column of a position counts.
    enum Unit: String, Sendable {
        case utf8 = "utf-8"
        case utf16 = "utf-16"
    }

    private(set) var bytes: [UInt8]
    let unit: Unit
    // By line, the offset of its first byte.
    private var starts: [Int]

    init(_ text: String, _ unit: Unit) { self.init(Array(text.utf8), unit) }

    init(_ bytes: [UInt8], _ unit: Unit) {
        (self.bytes, self.unit) = (bytes, unit)
        starts = Self.starts(of: bytes)
    }

    var text: String { String(decoding: bytes, as: UTF8.self) }

    private static func starts(of bytes: [UInt8]) -> [Int] {
        var starts = [0]
        for index in bytes.indices where bytes[index] == UInt8(ascii: "\n") { starts.append(index + 1) }
        return starts
    }

    /// The bytes of a line without its line end.
    private func line(_ number: Int) -> Range<Int> {
        let start = starts[number]
        var end = number + 1 < starts.count ? starts[number + 1] - 1 : bytes.count
        if number + 1 < starts.count, end > start, bytes[end - 1] == UInt8(ascii: "\r") { end -= 1 }
        return start..<end
    }

    /// The offset of a position of the protocol. A column behind the line means its end, a line behind the text its
    /// end. Nil for a value that is not a position.
    func offset(of position: Value?) -> Int? {
        guard let line = position?["line"]?.number, let column = position?["character"]?.number, line >= 0,
            column >= 0
        else { return nil }
        guard line < starts.count else { return bytes.count }
        return offset(inLine: line, column) {
            $0 >= 0xF0 ? unit == .utf16 ? 2 : 4 : unit == .utf16 ? 1 : Self.width($0)
        }
    }

    /// The offset of a position of a diagnostic.
    func offset(of position: SourcePosition) -> Int {
        guard position.line <= starts.count else { return bytes.count }
        return offset(inLine: position.line - 1, position.column - 1) { _ in 1 }
    }

    /// The bytes of a character, from its first one.
    private static func width(_ byte: UInt8) -> Int {
        byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4
    }

    private func offset(inLine number: Int, _ column: Int, _ size: (UInt8) -> Int) -> Int {
        let line = line(number)
        var (offset, rest) = (line.lowerBound, column)
        while offset < line.upperBound {
            rest -= size(bytes[offset])
            guard rest >= 0 else { break }
            offset = min(offset + Self.width(bytes[offset]), line.upperBound)
        }
        return offset
    }

    /// The position of an offset as the protocol counts it.
    func position(of offset: Int) -> Value {
        let number = starts.countBefore { $0 > offset } - 1
        var column = 0
        for byte in bytes[starts[number]..<min(offset, bytes.count)] {
            // In UTF-16, a character of four bytes has two units.
            if unit == .utf8 || byte & 0xC0 != 0x80 { column += unit == .utf16 && byte >= 0xF0 ? 2 : 1 }
        }
        return .record([("line", .number(number)), ("character", .number(column))])
    }

    func range(_ range: Range<Int>) -> Value {
        .record([("start", position(of: range.lowerBound)), ("end", position(of: range.upperBound))])
    }

    /// The number of the line of an offset, from 0.
    func line(of offset: Int) -> Int { starts.countBefore { $0 > offset } - 1 }

    /// Replaces what is in a range of the protocol, or everything without a range.
    ///
    /// - Returns: false for a wrong range.
    mutating func replace(_ range: Value?, with text: String) -> Bool {
        guard let range else {
            bytes = Array(text.utf8)
            starts = Self.starts(of: bytes)
            return true
        }
        guard let start = offset(of: range["start"]), let end = offset(of: range["end"]), start <= end else {
            return false
        }
        bytes.replaceSubrange(start..<end, with: text.utf8)
        starts = Self.starts(of: bytes)
        return true
    }
}

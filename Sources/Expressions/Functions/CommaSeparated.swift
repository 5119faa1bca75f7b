/// Texts of rows with separated fields, as RFC 4180 describes them.
///
/// A line feed ends a row, with or without a carriage return before it, and so does a carriage return at the end of the
/// text. An empty line is not a row. A byte order mark at the start is left out. The fields of different rows may differ in
/// number.
struct CommaSeparated {
    private let separator: UInt8
    /// The bytes that only a field in quotes may have.
    private let special: [UInt8]
    private static let quote = UInt8(ascii: "\"")
    private static let lineFeed = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")
    /// The byte order mark.
    private static let mark = "\u{FEFF}".utf8

    init() { self.init(UInt8(ascii: ",")) }

    private init(_ separator: UInt8) {
        self.separator = separator
        special = [separator, Self.quote, Self.lineFeed, Self.carriageReturn]
    }

    /// Nil for a text that is not one character of ASCII, or is one that quotes or ends a line.
    init?(separator text: String) {
        let reserved = [0, Self.quote, Self.lineFeed, Self.carriageReturn]
        guard text.utf8.count == 1, let byte = text.utf8.first, !reserved.contains(byte) else { return nil }
        self.init(byte)
    }

    /// The fields of each row; nil for a quote in a field without quotes, a text after the closing quote, or a
    /// missing closing quote.
    func rows(of text: String) -> [[String]]? {
        var bytes = text.utf8[...]
        if bytes.starts(with: Self.mark) { bytes = bytes.dropFirst(Self.mark.count) }
        var rows: [[String]] = []
        var row: [String] = []
        while !bytes.isEmpty || !row.isEmpty {
            if row.isEmpty, takeLineEnd(&bytes) { continue }
            guard let field = takeField(&bytes) else { return nil }
            row.append(field)
            if bytes.first == separator {
                bytes.removeFirst()
            } else {
                guard bytes.isEmpty || takeLineEnd(&bytes) else { return nil }
                rows.append(row)
                row = []
            }
        }
        return rows
    }

    /// Takes a field up to the separator or the end of the row, which stays.
    private func takeField(_ bytes: inout Substring.UTF8View) -> String? {
        guard bytes.first == Self.quote else {
            let end = bytes.indices.first { index in
                switch bytes[index] {
                case separator, Self.lineFeed, Self.quote: true
                case Self.carriageReturn: Self.endsLine(bytes[index...].dropFirst().first)
                default: false
                }
            }
            let field = bytes[..<(end ?? bytes.endIndex)]
            bytes = bytes[field.endIndex...]
            return bytes.first == Self.quote ? nil : String(field)
        }
        bytes.removeFirst()
        var field = ""
        while let end = bytes.firstIndex(of: Self.quote) {
            field += String(bytes[..<end])!
            bytes = bytes[end...].dropFirst()
            guard bytes.first == Self.quote else { return field }
            field += "\""
            bytes.removeFirst()
        }
        return nil
    }

    /// Whether a carriage return before a byte, or before the end of the text, ends a line.
    private static func endsLine(_ next: UInt8?) -> Bool { next == nil || next == lineFeed }

    private func takeLineEnd(_ bytes: inout Substring.UTF8View) -> Bool {
        let count =
            switch bytes.first {
            case Self.lineFeed: 1
            case Self.carriageReturn where Self.endsLine(bytes.dropFirst().first): 2
            default: 0
            }
        bytes = bytes.dropFirst(count)
        return count > 0
    }

    /// Appends a row. A field with a separator, a quote or a line end is written in quotes. So are an empty field that is
    /// alone in its row, and a field that begins with a byte order mark.
    func write(_ fields: [String], to text: inout String) {
        for (index, field) in fields.enumerated() {
            if index > 0 { text.unicodeScalars.append(Unicode.Scalar(separator)) }
            guard
                fields.count == 1 && field.isEmpty || field.utf8.starts(with: Self.mark)
                    || field.utf8.contains(where: special.contains)
            else {
                text += field
                continue
            }
            text += "\""
            for scalar in field.unicodeScalars {
                if scalar == "\"" { text += "\"" }
                text.unicodeScalars.append(scalar)
            }
            text += "\""
        }
        text += "\n"
    }
}

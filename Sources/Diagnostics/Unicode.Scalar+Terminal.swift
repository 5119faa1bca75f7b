extension String {
    /// The text without characters that control the terminal (`Unicode.Scalar.shown`).
    public var shown: String { unicodeScalars.reduce(into: "") { $0 += $1.shown } }
}

extension Unicode.Scalar {
    /// The text that is written to a terminal for this character. A tab becomes four spaces. A character that
    /// controls the terminal, changes the direction of text or is invisible becomes a symbol.
    var shown: String {
        switch value {
        case 0x09: "    "
        case 0x00..<0x20: Unicode.Scalar(0x2400 + value).map { String($0) } ?? "\u{FFFD}"
        case 0x7F: "\u{2421}"
        case 0x80..<0xA0, 0x200B, 0x200E...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF: "\u{FFFD}"
        default: String(self)
        }
    }

    /// The number of terminal cells of `shown`: none for a combining character, two for East Asian wide
    /// characters (by block) and emoji, else one for each character.
    var cells: Int {
        switch value {
        case 0x09: 4
        case 0x00..<0x300, 0x200B, 0x200E...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF: 1
        case 0x1160...0x11FF: 0
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3,
            0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD:
            2
        // Two of these letters make one flag.
        case 0x1F1E6...0x1F1FF: 1
        default:
            switch properties.generalCategory {
            case .nonspacingMark, .enclosingMark, .format: 0
            default: properties.isEmojiPresentation ? 2 : 1
            }
        }
    }
}

/// Finds the range of a value in a JSON text.
public struct JSONRange {
    private let bytes: [UInt8]
    private var index = 0

    private init(_ text: String) { bytes = Array(text.utf8) }

    /// The UTF-8 offsets of the value at a path of keys and `[index]`es. If a step does not exist, the path
    /// ends before it.
    ///
    /// - Parameter text: a valid JSON document. For any other text, the result has no meaning.
    public static func range(of path: [String], in text: String) -> Range<Int> {
        var reader = JSONRange(text)
        for step in path { guard reader.enter(step) else { break } }
        reader.skipSpace()
        let start = reader.index
        reader.skipValue()
        return start..<max(start, reader.index)
    }

    private var peek: UInt8? { bytes.indices.contains(index) ? bytes[index] : nil }

    private mutating func skipSpace() {
        while let byte = peek, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { index += 1 }
    }

    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
        skipSpace()
        guard peek == UInt8(ascii: character) else { return false }
        index += 1
        return true
    }

    /// Moves to the value under a key of an object, or at an index of an array; false, without moving, if
    /// there is none.
    private mutating func enter(_ step: String) -> Bool {
        let start = index
        if skip("{") {
            let wanted = Array("\"\(step)\"".utf8)
            repeat {
                skipSpace()
                let key = index
                skipString()
                let isWanted = bytes[key..<index].elementsEqual(wanted)
                guard skip(":") else { break }
                if isWanted { return true }
                skipValue()
            } while skip(",")
        } else if skip("["), let wanted = Int(step.dropFirst().dropLast()) {
            for position in 0... {
                if position == wanted { return true }
                skipValue()
                guard skip(",") else { break }
            }
        }
        index = start
        return false
    }

    private mutating func skipString() {
        guard peek == UInt8(ascii: "\"") else { return }
        index += 1
        while let byte = peek, byte != UInt8(ascii: "\"") { index += byte == UInt8(ascii: "\\") ? 2 : 1 }
        index = min(index + 1, bytes.count)
    }

    private mutating func skipValue() {
        skipSpace()
        var depth = 0
        while let byte = peek {
            switch byte {
            case UInt8(ascii: "\""): skipString()
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                index += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                guard depth > 0 else { return }
                depth -= 1
                index += 1
            case UInt8(ascii: ","), UInt8(ascii: ":"):
                guard depth > 0 else { return }
                index += 1
            default: index += 1
            }
            if depth == 0, let next = peek, next == UInt8(ascii: ",") { return }
        }
    }
}

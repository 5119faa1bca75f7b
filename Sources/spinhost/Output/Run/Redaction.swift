import HostLoop
import Records

/// Keeps the texts of secrets out of everything that the host writes: each is replaced by `<secret>`.
///
/// It knows texts, not where they come from: what an expression makes of a secret, such as a part of it, is shown.
enum Redaction {
    /// Shorter texts are not replaced: they stand in too much that is no secret.
    static let minimumLength = 4
    static let mark = "<secret>"

    // The longest first, as one may contain another. The whole process has one stdout and one stderr.
    private static let secrets = Lock<[[UInt8]]>([])

    /// Has these texts replaced from now on, as they are and as JSON writes them.
    static func conceal(_ texts: [String]) {
        let forms = texts.flatMap { [$0, String(Value.string($0).json.dropFirst().dropLast())] }
            .map { Array($0.utf8) }.filter { $0.count >= minimumLength }
        secrets.withLock { $0 = Set($0 + forms).sorted { $0.count > $1.count } }
    }

    /// The text without the secrets. JSON stays JSON: a number that is one becomes a string.
    static func redacted(_ text: String) -> String {
        let secrets = secrets.withLock { $0 }
        return secrets.isEmpty ? text : redacted(text, of: secrets)
    }

    /// - Parameter secrets: the longest first.
    static func redacted(_ text: String, of secrets: [[UInt8]]) -> String {
        let bytes = Array(text.utf8)
        let isJSON = bytes.first == UInt8(ascii: "{")
        var result: [UInt8] = []
        var (next, isInString) = (0, false)
        while next < bytes.count {
            let secret = secrets.first { bytes[next...].starts(with: $0) && isWhole($0, in: bytes, at: next) }
            if let secret {
                next += secret.count
                guard isJSON, !isInString else {
                    result += mark.utf8
                    continue
                }
                // The whole of what stands there: a sign, a fraction.
                while let last = result.last, !delimiters.contains(last) { result.removeLast() }
                while next < bytes.count, !delimiters.contains(bytes[next]) { next += 1 }
                result += "\"\(mark)\"".utf8
            } else {
                if isInString, bytes[next] == UInt8(ascii: "\\"), next + 1 < bytes.count {
                    result.append(bytes[next])
                    next += 1
                } else if bytes[next] == UInt8(ascii: "\"") {
                    isInString.toggle()
                }
                result.append(bytes[next])
                next += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static let delimiters = Set("{}[],: \n".utf8)

    /// False for digits that are a part of a longer number.
    private static func isWhole(_ secret: [UInt8], in bytes: [UInt8], at start: Int) -> Bool {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard secret.allSatisfy(digits.contains) else { return true }
        let end = start + secret.count
        return !(start > 0 && digits.contains(bytes[start - 1]))
            && !(end < bytes.count && digits.contains(bytes[end]))
    }
}

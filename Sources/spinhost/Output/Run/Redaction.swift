import App
import HostLoop
import Records

/// Replaces the texts of secrets by `<secret>` in everything that the host writes.
///
/// It compares texts only. It does not replace a value that an expression computes from a secret, such as a
/// part of it.
enum Redaction {
    /// Shorter secrets are not replaced, because too many other texts contain them.
    static let minimumLength = 4
    static let mark = "<secret>"

    // The longest secret is first, because one secret may contain another. The list is global, because the
    // process has one stdout and one stderr.
    private static let secrets = Lock<[[UInt8]]>([])

    /// Replaces these texts from now on, in plain form and in JSON's.
    static func conceal(_ texts: [String]) {
        let forms = texts.flatMap { [$0, String(Value.string($0).json.dropFirst().dropLast())] }
            .map { Array($0.utf8) }.filter { $0.count >= minimumLength }
        secrets.withLock { $0 = Set($0 + forms).sorted { $0.count > $1.count } }
    }

    /// The secrets of recordings; nil when there are none.
    static var recordedSecrets: RecordedSecrets? {
        secrets.withLock(\.isEmpty) ? nil : RecordedSecrets(mark: mark, redacted: { redacted($0) })
    }

    /// The text with replaced secrets. JSON stays valid: a secret number becomes a string.
    static func redacted(_ text: String) -> String {
        let secrets = secrets.withLock { $0 }
        return secrets.isEmpty ? text : redacted(text, of: secrets)
    }

    /// The same for text in UTF-8.
    static func redacted(_ bytes: [UInt8]) -> [UInt8] {
        let secrets = secrets.withLock { $0 }
        return secrets.isEmpty ? bytes : redacted(bytes, of: secrets)
    }

    /// The text with replaced secrets.
    ///
    /// - Parameter secrets: the secrets, the longest first.
    static func redacted(_ text: String, of secrets: [[UInt8]]) -> String {
        String(decoding: redacted(Array(text.utf8), of: secrets), as: UTF8.self)
    }

    private static func redacted(_ bytes: [UInt8], of secrets: [[UInt8]]) -> [UInt8] {
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
                // Replaces the whole number around the secret, with its sign and fraction.
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
        return result
    }

    private static let delimiters = Set("{}[],: \n".utf8)

    /// False for digits that are part of a longer number.
    private static func isWhole(_ secret: [UInt8], in bytes: [UInt8], at start: Int) -> Bool {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard secret.allSatisfy(digits.contains) else { return true }
        let end = start + secret.count
        return !(start > 0 && digits.contains(bytes[start - 1]))
            && !(end < bytes.count && digits.contains(bytes[end]))
    }
}

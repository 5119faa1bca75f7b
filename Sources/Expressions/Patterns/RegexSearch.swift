import Diagnostics

/// Finds the matches of a regular expression one after the other, as Go's `regexp` does. They do not overlap,
/// and an empty match never follows another match directly.
struct RegexSearch {
    /// The limit on the bytes that the searches of one call may read, times the weight of the pattern. Each search may
    /// read the text up to its end, whatever it finds. Without a limit, the time could grow with the square of the
    /// text. With it, the slowest patterns take some 5 seconds.
    private static let maximumWork = 1 << 25

    let regex: Regex
    let text: [UInt8]
    let frame: Frame
    /// The slot of the meter, within a macro.
    let meter: Int?
    let range: Range<Int>

    private var position = 0
    /// The end of the previous match; -1 before the first one.
    private var end = -1
    private var work = 0
    private let weight: Int

    init(_ regex: Regex, in text: String, _ frame: Frame, meter: Int?, at range: Range<Int>) {
        (self.regex, self.text, self.frame) = (regex, Array(text.utf8), frame)
        (self.meter, self.range, weight) = (meter, range, regex.weight)
    }

    /// The next match with its groups, of which there are at most 9.
    mutating func next() throws(EvaluationFault) -> Regex.Match? {
        while position <= text.count {
            try charge()
            let found = regex.find(in: text, from: position, groups: min(regex.groupCount, 9))
            guard let found else { break }
            let isRepeated = found.whole == end..<end
            end = found.whole.upperBound
            // After an empty match, the next search begins one character later.
            position = end > position ? end : OctetFunction.end(ofCharacterAt: position, in: text)
            if !isRepeated { return found }
        }
        position = text.count + 1
        return nil
    }

    /// The text of a part.
    func content(_ part: Range<Int>) -> String { String(decoding: text[part], as: UTF8.self) }

    private mutating func charge() throws(EvaluationFault) {
        let rest = (text.count - position) * weight
        work += rest
        guard work <= Self.maximumWork else {
            throw EvaluationFault(
                .tooMuchWork, "the text of \(text.count) bytes has too many matches", at: range)
        }
        if let meter { try frame.charge(rest / 8, meter: meter, at: range) }
    }
}

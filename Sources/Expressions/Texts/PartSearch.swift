/// A search for a part in characters or bytes (Knuth, Morris and Pratt 1977).
/// The time is linear in both sizes, so that no text makes it slow.
struct PartSearch<Element: Equatable> {
    private let part: [Element]
    // For each length matched, the shorter length that still matches when the next character differs.
    private let fallback: [Int]

    init(_ part: [Element]) {
        var fallback = [Int](repeating: 0, count: part.count)
        var matched = 0
        for index in part.indices.dropFirst() {
            while matched > 0, part[index] != part[matched] { matched = fallback[matched - 1] }
            if part[index] == part[matched] { matched += 1 }
            fallback[index] = matched
        }
        (self.part, self.fallback) = (part, fallback)
    }

    /// The index of the first match at or after `start`; nil when there is none.
    func first(in text: [Element], from start: Int) -> Int? {
        guard !part.isEmpty else { return start }
        var matched = 0
        for index in start..<text.count {
            while matched > 0, text[index] != part[matched] { matched = fallback[matched - 1] }
            if text[index] == part[matched] { matched += 1 }
            if matched == part.count { return index + 1 - matched }
        }
        return nil
    }
}

/// Finds the name that a misspelt name was probably meant to be.
public enum Suggestion {
    /// The number of candidates that are compared, from the first on. It bounds the cost of each fault in a
    /// file with thousands of faults.
    public static let mostCandidates = 10_000

    /// The length of the longest name that gets a suggestion, because the cost of a comparison is quadratic.
    private static let longest = 64

    /// The candidate most similar to `name`; nil if none is similar enough. The limit is a third of the
    /// name's length in edits, and at least one edit. Of equally similar candidates the first is chosen.
    public static func closest(to name: String, among candidates: some Sequence<String>) -> String? {
        guard name.utf8.count <= 4 * longest else { return nil }
        let scalars = Array(name.unicodeScalars)
        guard scalars.count <= longest else { return nil }
        var limit = max(1, scalars.count / 3)
        var best: String?
        for candidate in candidates.prefix(mostCandidates) where candidate != name {
            // A scalar has one to four bytes, so the number of bytes bounds the length.
            let bytes = candidate.utf8.count
            guard bytes >= scalars.count - limit, bytes <= 4 * (scalars.count + limit),
                let found = distance(scalars, Array(candidate.unicodeScalars), upTo: limit)
            else { continue }
            (best, limit) = (candidate, found - 1)
            if limit == 0 { break }
        }
        return best
    }

    /// The optimal string alignment distance (Damerau 1964): insert, delete, replace, or swap two neighbours.
    /// Nil if it is greater than `limit`. It computes only the part of the matrix within the limit.
    static func distance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar], upTo limit: Int) -> Int? {
        guard abs(left.count - right.count) <= limit else { return nil }
        let far = limit + 1
        var before = [Int](repeating: far, count: right.count + 1)
        var previous = (0...right.count).map { min($0, far) }
        for row in left.indices {
            var current = [Int](repeating: far, count: right.count + 1)
            current[0] = min(row + 1, far)
            var least = current[0]
            for column in max(0, row - limit)..<max(0, min(right.count, row + limit + 1)) {
                var cost = min(
                    previous[column + 1] + 1, current[column] + 1,
                    previous[column] + (left[row] == right[column] ? 0 : 1))
                if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                    cost = min(cost, before[column - 1] + 1)
                }
                current[column + 1] = min(cost, far)
                least = min(least, cost)
            }
            // A swap skips a row, so the search can stop only if both of the last two rows exceed the limit.
            guard least <= limit || previous.contains(where: { $0 <= limit }) else { return nil }
            (before, previous) = (previous, current)
        }
        return previous[right.count] <= limit ? previous[right.count] : nil
    }
}

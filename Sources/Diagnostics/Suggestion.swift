/// Which name was meant by a misspelt one.
public enum Suggestion {
    /// No more candidates than these are looked at, the first ones: names are asked for where a file is at fault, and one
    /// of thousands of faults must not cost more than the others.
    public static let mostCandidates = 10_000

    /// No name longer than this many characters is a typing mistake, and the distance is quadratic.
    private static let longest = 64

    /// The candidate nearest to `name`, if one is near enough to be meant: at most a third of the name's length away,
    /// and at least one edit is always allowed. The first of equally near ones wins.
    public static func closest(to name: String, among candidates: some Sequence<String>) -> String? {
        guard name.utf8.count <= 4 * longest else { return nil }
        let scalars = Array(name.unicodeScalars)
        guard scalars.count <= longest else { return nil }
        var limit = max(1, scalars.count / 3)
        var best: String?
        for candidate in candidates.prefix(mostCandidates) where candidate != name {
            // Its bytes bound its length: a scalar has one to four.
            let bytes = candidate.utf8.count
            guard bytes >= scalars.count - limit, bytes <= 4 * (scalars.count + limit),
                let found = distance(scalars, Array(candidate.unicodeScalars), upTo: limit)
            else { continue }
            (best, limit) = (candidate, found - 1)
            if limit == 0 { break }
        }
        return best
    }

    /// Optimal string alignment distance (Damerau 1964): insert, delete, replace, or swap two neighbours; nil when it is
    /// greater than `limit`. Only the part of the matrix is computed in which it could be.
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
            // A swap reaches over one row, so both of the last two must be too far.
            guard least <= limit || previous.contains(where: { $0 <= limit }) else { return nil }
            (before, previous) = (previous, current)
        }
        return previous[right.count] <= limit ? previous[right.count] : nil
    }
}

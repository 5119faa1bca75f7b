/// Which name was meant by a misspelt one.
public enum Suggestion {
    /// The candidate nearest to `name`, if one is near enough to be meant: at most a third of the name's length away,
    /// and at least one edit is always allowed. The first of equally near ones wins.
    public static func closest(to name: String, among candidates: some Sequence<String>) -> String? {
        // Longer names are no typing mistakes, and the distance is quadratic.
        guard name.unicodeScalars.count <= 64 else { return nil }
        let limit = max(1, name.unicodeScalars.count / 3)
        var best: (name: String, distance: Int)?
        for candidate in candidates where candidate != name {
            let found = distance(Array(name.unicodeScalars), Array(candidate.unicodeScalars))
            if found <= limit, found < best?.distance ?? Int.max { best = (candidate, found) }
        }
        return best?.name
    }

    /// Optimal string alignment distance (Damerau 1964): insert, delete, replace, or swap two neighbours.
    static func distance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
        guard abs(left.count - right.count) <= 64 else { return Int.max }
        var before: [Int] = []
        var previous = Array(0...right.count)
        for row in left.indices {
            var current = [row + 1]
            for column in right.indices {
                var cost = min(
                    previous[column + 1] + 1, current[column] + 1,
                    previous[column] + (left[row] == right[column] ? 0 : 1))
                if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                    cost = min(cost, before[column - 1] + 1)
                }
                current.append(cost)
            }
            (before, previous) = (previous, current)
        }
        return previous[right.count]
    }
}

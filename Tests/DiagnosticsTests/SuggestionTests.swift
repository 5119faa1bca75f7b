import Testing

@testable import Diagnostics

struct SuggestionTests {
    @Test(arguments: [
        ("lefft", "left"), ("rigth", "right"), ("lef", "left"), ("RIGHT", nil), ("x", nil), ("left", nil),
        ("", nil),
    ])
    func closest_isWhatWasProbablyMeant(_ name: String, _ expected: String?) {
        #expect(Suggestion.closest(to: name, among: ["left", "right"]) == expected)
    }

    @Test func ofEquallyNearNames_theFirstIsMeant_andANearerOneBeforeBoth() {
        #expect(Suggestion.closest(to: "abcdef", among: ["abcdeg", "abcdeh"]) == "abcdeg")
        #expect(Suggestion.closest(to: "abcdef", among: ["abcdgg", "abcdeh"]) == "abcdeh")
        #expect(Suggestion.closest(to: "größe", among: ["grosse", "Größe"]) == "Größe")
    }

    /// The whole matrix, as the definition says it.
    private func naive(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
        var rows = [[Int]](repeating: Array(0...right.count), count: left.count + 1)
        for row in rows.indices { rows[row][0] = row }
        for row in left.indices {
            for column in right.indices {
                var cost = min(
                    rows[row][column + 1] + 1, rows[row + 1][column] + 1,
                    rows[row][column] + (left[row] == right[column] ? 0 : 1))
                if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                    cost = min(cost, rows[row - 1][column - 1] + 1)
                }
                rows[row + 1][column + 1] = cost
            }
        }
        return rows[left.count][right.count]
    }

    @Test func boundedDistance_isTheDistance_asFarAsTheBound() {
        // Every pair of words over two letters, up to five long.
        var words: [[Unicode.Scalar]] = [[]]
        var last = words
        for _ in 0..<5 {
            last = last.flatMap { word in (["a", "b"] as [Unicode.Scalar]).map { word + [$0] } }
            words += last
        }
        for left in words {
            for right in words {
                let distance = naive(left, right)
                for limit in 0...5 {
                    let found = Suggestion.distance(left, right, upTo: limit)
                    #expect(found == (distance <= limit ? distance : nil), "\(left) \(right) \(limit)")
                }
            }
        }
    }

    /// Names that count how many of them were looked at.
    private final class CountedNames: Sequence, IteratorProtocol {
        private(set) var count = 0

        func next() -> String? {
            count += 1
            return "name\(count)"
        }
    }

    @Test func ofNamesWithoutEnd_onlyTheFirstAreLookedAt() {
        let names = CountedNames()
        #expect(Suggestion.closest(to: "something else", among: names) == nil)
        #expect(names.count <= Suggestion.mostCandidates + 1)
        let others = CountedNames()
        // Nothing can be nearer than one edit.
        #expect(Suggestion.closest(to: "nam3", among: others) == "name3")
        #expect(others.count <= 4)
    }
}

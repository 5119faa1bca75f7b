/// One line of the table: a figure of ours beside a reference measured in the same run.
struct Row {
    /// The row's name in the design, such as `M1`.
    let name: String
    /// What is measured.
    let title: String
    /// What the reference is.
    let referenceTitle: String
    /// Unit of figure and reference.
    let unit: String
    /// True when more is better, so that the ratio is ours over theirs; else it is theirs to be exceeded by at most
    /// the limit.
    let moreIsBetter: Bool
    /// The ratio that counts as reached, and the one to aim at then.
    let reach: Double
    let then: Double
    /// One pair of measurements a round, in alternating order.
    let samples: [Sample]

    /// Ours and the reference's figure of one round.
    struct Sample {
        let figure: Double
        let reference: Double
    }

    var figures: [Double] { samples.map(\.figure).sorted() }
    var references: [Double] { samples.map(\.reference).sorted() }
    var ratio: Double { Self.median(samples.map { $0.figure / $0.reference }.sorted()) }
    var figure: Double { Self.median(figures) }
    var reference: Double { Self.median(references) }

    func meets(_ limit: Double) -> Bool { moreIsBetter ? ratio >= limit : ratio <= limit }

    private static func median(_ sorted: [Double]) -> Double {
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }

    /// Measures `rounds` pairs; every other round takes the reference first.
    static func sampling(rounds: Int, figure: () throws -> Double, reference: () throws -> Double) rethrows -> [Sample] {
        try (0..<rounds).map { round in
            if round.isMultiple(of: 2) {
                let ours = try figure()
                return Sample(figure: ours, reference: try reference())
            }
            let theirs = try reference()
            return Sample(figure: try figure(), reference: theirs)
        }
    }
}

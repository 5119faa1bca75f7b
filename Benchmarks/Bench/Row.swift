/// One line of the table: a figure of ours beside a reference measured in the same run.
struct Row {
    /// The row's name in the design, such as `M1`, and which of its figures this is if it has several.
    let name: String
    /// What is measured.
    let title: String
    /// What the reference is.
    let referenceTitle: String
    /// Unit of figure and reference.
    let unit: String
    /// What `reach` and `then` limit.
    var judged = Judged.ratio
    /// True when `reach` and `then` are to be met or exceeded; else they are not to be exceeded.
    let moreIsBetter: Bool
    /// What counts as reached, and what to aim at then, if anything.
    let reach: Double
    let then: Double?
    /// One pair of measurements a round, in alternating order.
    let samples: [Sample<Double>]

    enum Judged {
        /// Our figure over the reference's, round by round.
        case ratio
        /// Our figure alone; the reference is there to compare with.
        case figure
    }

    /// Ours and the reference's figure of one round.
    struct Sample<Figure> {
        let figure: Figure
        let reference: Figure

        func map<Part>(_ part: (Figure) -> Part) -> Sample<Part> {
            Sample<Part>(figure: part(figure), reference: part(reference))
        }
    }

    var figures: [Double] { samples.map(\.figure).sorted() }
    var references: [Double] { samples.map(\.reference).sorted() }
    var ratios: [Double] { samples.map { $0.figure / $0.reference }.sorted() }
    var ratio: Double { Self.median(ratios) }
    var figure: Double { Self.median(figures) }
    var reference: Double { Self.median(references) }

    func meets(_ limit: Double) -> Bool {
        let value =
            switch judged {
            case .ratio: ratio
            case .figure: figure
            }
        return moreIsBetter ? value >= limit : value <= limit
    }

    static func median(_ sorted: [Double]) -> Double {
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }

    /// Measures `rounds` pairs; every other round takes the reference first, so that a drift of the machine's speed
    /// favours nobody.
    static func sampling<Figure>(
        rounds: Int, figure: () async throws -> Figure, reference: () async throws -> Figure
    ) async rethrows -> [Sample<Figure>] {
        var samples: [Sample<Figure>] = []
        for round in 0..<rounds {
            if round.isMultiple(of: 2) {
                let ours = try await figure()
                samples.append(Sample(figure: ours, reference: try await reference()))
            } else {
                let theirs = try await reference()
                samples.append(Sample(figure: try await figure(), reference: theirs))
            }
        }
        return samples
    }
}

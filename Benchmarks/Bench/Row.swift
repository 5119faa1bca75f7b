/// One line of the table: our figure beside a reference measured in the same run.
struct Row {
    /// The row's name, such as `M1`. A row with several figures has several names, such as `L4 bytes`.
    let name: String
    /// The measured thing, in words.
    let title: String
    /// The reference, in words.
    let referenceTitle: String
    /// Unit of figure and reference.
    let unit: String
    /// The value that `reach` and `then` limit.
    var judged = Judged.ratio
    /// True when `reach` and `then` are lower limits; false when they are upper limits.
    let moreIsBetter: Bool
    /// The limit that the row must keep, and the next aim, if there is one.
    let reach: Double
    let then: Double?
    /// One pair of measurements per round, in alternating order.
    let samples: [Sample<Double>]

    enum Judged {
        /// Our figure divided by the reference, round by round.
        case ratio
        /// Our figure alone; the reference is only shown beside it.
        case figure
    }

    /// Our figure and the reference of one round.
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

    /// Measures `rounds` pairs. Every other round measures the reference first, so a change of the machine's
    /// speed favours neither side.
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

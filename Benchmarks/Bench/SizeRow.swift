import Glibc

/// Row B1: the size of the installed program, which has Swift's libraries linked in and no symbols. The reference is
/// the program as SwiftPM links it, with symbols and without those libraries.
struct SizeRow {
    /// The paths of both programs.
    let installed: String
    let built: String

    func measure() throws -> Row {
        let sample = Row.Sample(
            figure: try Self.megabytes(installed), reference: try Self.megabytes(built))
        return Row(
            name: "B1", title: "size of the installed program, with Swift's libraries",
            referenceTitle: "the program as SwiftPM links it", unit: "MB", judged: .figure,
            moreIsBetter: false, reach: 25, then: 15, samples: [sample])
    }

    private static func megabytes(_ path: String) throws -> Double {
        var status = stat()
        // Safe because path and structure live for the call.
        guard unsafe stat(path, &status) == 0 else {
            throw BenchFault("there is no \(path): start it through script/bench")
        }
        return Double(status.st_size) / 1e6
    }
}

/// Why a row has no figure.
struct BenchFault: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

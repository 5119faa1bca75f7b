import ArgumentParser
import Journal

/// A kind of entries that the user can choose.
enum JournalKind: String, CaseIterable, Sendable {
    case start, step, refused, sent, fault, swap, epoch, end

    /// The kind of an entry.
    init(_ entry: Entry) {
        self =
            switch entry {
            case .epoch: .epoch
            case .started: .start
            case .step: .step
            case .refused: .refused
            case .sent: .sent
            case .fault: .fault
            case .swapped: .swap
            case .finished: .end
            }
    }

    /// All kinds, for messages.
    static let names = allCases.map(\.rawValue).joined(separator: ", ")

    /// `step,fault`
    ///
    /// - Throws: a usage error for another word.
    static func list(_ text: String) throws -> Set<JournalKind> {
        Set(
            try text.split(separator: ",", omittingEmptySubsequences: false).map { word in
                guard let kind = JournalKind(rawValue: String(word)) else {
                    throw ValidationError("`\(word)` is no kind of entry: write one or several of \(names)")
                }
                return kind
            })
    }
}

extension Entry {
    /// The loop and the event that the entry is about, by their indices.
    var place: (loop: Int?, event: Int?) {
        switch self {
        case .epoch, .swapped: (nil, nil)
        case .started(let loop, _), .sent(let loop, _, _, _, _), .fault(let loop, _, _, _),
            .finished(let loop, _):
            (loop, nil)
        case .step(let step), .refused(let step, _): (step.loop, step.event)
        }
    }
}

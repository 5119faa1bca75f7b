import ArgumentParser
import Journal

/// A place in a journal as the user names it: a step, a position, a time, or a number from the end.
struct JournalPlace: Hashable, Sendable {
    private enum Kind: Hashable {
        case number(UInt64)
        case position(UInt64)
        case fromEnd(UInt64)
        case moment(JournalMoment)
    }

    /// What a number without a mark counts.
    enum Numbers {
        /// The steps of a loop.
        case steps
        /// All entries.
        case entries
    }

    /// As the user wrote it.
    let text: String
    /// The loop that it names.
    let loop: String?
    private let kind: Kind

    /// The forms, for help.
    static let forms =
        "`12`, `LOOP#12`, `@4711` for a position, `-1` for the last one, or a time such as `11:44:23`"

    /// - Throws: a usage error for text that is no place.
    static func parse(_ text: String) throws -> JournalPlace {
        guard let place = JournalPlace(text) else {
            let shown = Self.plain(text)
            throw ValidationError(
                "`\(shown)` is no place in a journal: write \(forms) or `2026-11-23 11:44:23.5`")
        }
        return place
    }

    /// Nil for text that is no place.
    init?(_ given: String) {
        text = Self.plain(given)
        let parts = text.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        loop = parts.count == 2 ? String(parts[0]) : nil
        let number = parts.last ?? ""
        let sign = number.first.flatMap { "@-".contains($0) ? $0 : nil }
        let digits = sign == nil ? number : number.dropFirst()
        if digits.allSatisfy({ $0.isASCII && $0.isNumber }), let count = UInt64(digits) {
            switch sign {
            case "@" where loop == nil: kind = .position(count)
            case "-" where count > 0: kind = .fromEnd(count)
            case nil: kind = .number(count)
            default: return nil
            }
        } else if loop == nil, let moment = JournalMoment(text) {
            kind = .moment(moment)
        } else {
            return nil
        }
    }

    /// The command line with a mark before each `-1`, which the parser would take for an option.
    static func marked(_ arguments: [String]) -> [String] {
        let verbs = ["show", "at", "diff"]
        let isReading = zip(arguments, arguments.dropFirst()).contains {
            $0 == "journal" && verbs.contains($1)
        }
        guard isReading || arguments.contains("replay") else { return arguments }
        return arguments.map { $0.wholeMatch(of: /-\d+/) == nil ? $0 : mark + $0 }
    }

    private static let mark = " "

    private static func plain(_ text: String) -> String {
        text.hasPrefix("\(mark)-") ? String(text.dropFirst(mark.count)) : text
    }

    /// The position of the place: of its first entry, or of its last one, for a time. Nil if the journal has no such
    /// step, or no entry before the end of a time.
    ///
    /// - Parameters:
    ///   - isEnd: whether the last entry is meant.
    ///   - loop: the loop that counts; nil: the only one, or any that reaches the step first.
    func position(
        in reader: JournalReader, isEnd: Bool, loop: String? = nil, numbers: Numbers = .steps
    ) throws -> UInt64? {
        let loop = self.loop ?? loop
        let counts = self.loop == nil ? numbers : .steps
        switch (kind, counts) {
        case (.position(let position), _), (.number(let position), .entries): return position
        case (.number(let step), .steps): return try reader.position(ofStep: step, of: loop)
        case (.fromEnd(let count), .entries):
            let end = try reader.end().state.next
            return count < end ? end - count : 1
        case (.fromEnd(let count), .steps): return try position(ofStepFromEnd: count, in: reader, loop)
        case (.moment(let moment), _):
            let last = try reader.store.last()?.time ?? JournalTime.now
            let range = moment.range(onDayOf: last)
            let found = try reader.position(at: isEnd ? range.upperBound : range.lowerBound)
            let position = try found ?? reader.end().state.next
            return isEnd ? (position > 1 ? position - 1 : nil) : position
        }
    }

    private func position(
        ofStepFromEnd count: UInt64, in reader: JournalReader, _ loop: String?
    ) throws -> UInt64? {
        let end = try reader.end()
        if let damage = end.damage { throw damage }
        let steps = end.state.loops.filter { past in
            past.hasBegun && (loop == nil || end.state.epoch?.schema.loops[past.index].name == loop)
        }.map(\.step)
        guard let last = steps.max(), last >= count - 1 else { return nil }
        return count == 1 ? end.state.next - 1 : try reader.position(ofStep: last - (count - 1), of: loop)
    }

    /// What the journal says at the place; nil if the journal does not have it.
    func point(in reader: JournalReader, loop: String? = nil) throws -> JournalReader.Point? {
        guard let position = try position(in: reader, isEnd: true, loop: loop), position > 0,
            try position >= reader.start().state.next - 1
        else { return nil }
        let point = try reader.point(upTo: position)
        if point.state.next <= position, let damage = point.damage { throw damage }
        return point.state.next > position ? point : nil
    }

    /// Prints that the journal does not have the place.
    ///
    /// - Returns: the exit code.
    func refuse(_ file: String, loop: String? = nil) -> ExitCode {
        let named =
            switch kind {
            case .position: "position `\(text)`"
            case .moment: "entry by `\(text)`"
            default: "step `\(text)`"
            }
        ErrorOutput.line(
            "error: `\(file)` has no \(named)\((self.loop ?? loop).map { " of loop `\($0)`" } ?? "")")
        return ExitStatus.no
    }
}

import Records

/// The secrets of a recording. The host has replaced their texts by a mark.
public struct RecordedSecrets {
    /// The text in place of a secret.
    let mark: String
    private let redacted: (String) -> String

    /// - Parameters:
    ///   - mark: the text in place of a secret.
    ///   - redacted: returns a JSON text with replaced secrets, as the host has recorded it. JSON stays valid.
    public init(mark: String, redacted: @escaping (String) -> String) {
        (self.mark, self.redacted) = (mark, redacted)
    }

    /// A recorded value with its secrets put back: each part that the host would have recorded for the same
    /// part of `own` becomes that part.
    func restored(_ recorded: Value, from own: Value) -> Value {
        let text = own.json
        let redacted = redacted(text)
        guard redacted != text, let concealed = try? Value(json: redacted), let own = try? Value(json: text)
        else { return recorded }
        return Self.restored(recorded, own, concealed)
    }

    /// Whether a part of a recorded value has the mark.
    func isMarked(_ recorded: Value) -> Bool {
        switch recorded {
        case .string(let text): text.contains(mark)
        case .list(let elements): elements.contains(where: isMarked)
        case .map(let entries): entries.contains { isMarked($0.key) || isMarked($0.value) }
        default: false
        }
    }

    private static func restored(_ recorded: Value, _ own: Value, _ concealed: Value) -> Value {
        if recorded == concealed { return own }
        switch (recorded, own, concealed) {
        case (.list(let elements), .list(let own), .list(let concealed))
        where elements.count == own.count && own.count == concealed.count:
            return .list(elements.indices.map { restored(elements[$0], own[$0], concealed[$0]) })
        case (.map(let entries), .map(let own), .map(let concealed)) where own.count == concealed.count:
            return .map(
                entries.map { entry in
                    guard let index = concealed.firstIndex(where: { $0.key == entry.key }) else {
                        return entry
                    }
                    return Value.MapEntry(
                        key: own[index].key,
                        value: restored(entry.value, own[index].value, concealed[index].value))
                })
        default: return recorded
        }
    }
}

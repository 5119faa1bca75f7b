import Manifest
import Records

/// Converts events of a loop to events of the loop that takes its place, by the names of events and fields.
/// May be used from any thread.
struct EventCarry: Sendable {
    private enum Way {
        /// The record is used unchanged.
        case asItIs
        /// Each field of this type gets the value of the field with the same name.
        case byName(RecordType)
    }

    // By the index of an old event; nil: the new loop has no event of that name, or its event has new fields.
    private let ways: [(index: Int, way: Way)?]
    // By the old `AppEvent.message`.
    private let origins: [Int?]
    private let addressesStayValid: Bool

    /// Prepares the conversion for two loops of the same name in two manifests.
    ///
    /// - Parameter addressesStayValid: whether addresses stay valid. If not, an event that contains one is
    ///   discarded.
    init(
        from old: LoopModel, of oldManifest: Manifest, to new: LoopModel, of newManifest: Manifest,
        addressesStayValid: Bool
    ) {
        self.addressesStayValid = addressesStayValid
        ways = old.events.map { event in
            guard let index = new.events.firstIndex(where: { $0.name == event.name }) else { return nil }
            guard let way = Self.way(from: event.type, to: new.events[index].type) else { return nil }
            return (index, way)
        }
        let now = MessageReceiver.origins(of: new, in: newManifest)
        origins = MessageReceiver.origins(of: old, in: oldManifest).map { now.firstIndex(of: $0) }
    }

    /// How a record of one type becomes a record of another; nil if it cannot.
    private static func way(from old: RecordType, to new: RecordType) -> Way? {
        if old == new { return .asItIs }
        let isKnown = new.fields.allSatisfy { field in old.field(field.name)?.type == field.type }
        return isKnown && new.cases.isEmpty ? .byName(new) : nil
    }

    /// The event for the new loop; nil if that loop cannot take it.
    func event(_ event: AppEvent) -> AppEvent? {
        guard let (index, way) = ways[event.index] else { return nil }
        guard addressesStayValid || event.payload.pointers.isEmpty else { return nil }
        return AppEvent(
            index: index, payload: Self.record(event.payload, way),
            message: event.message.flatMap { origins[$0] })
    }

    private static func record(_ record: Record, _ way: Way) -> Record {
        guard case .byName(let type) = way else { return record }
        var made = Record(type)
        for field in type.fields {
            guard let value = record[field.name] else { continue }
            do throws(RecordError) { try made.set(field.name, to: value) } catch {
                preconditionFailure("a value of a field's own type fits: \(error)")
            }
        }
        return record.kept.map { made.keeping($0) } ?? made
    }

    /// Converts messages to messages of another manifest's gears, by the names of gears, messages and fields.
    /// Nil if a message has no counterpart.
    static func messages(
        from old: [GearModel], to new: [GearModel], addressesStayValid: Bool
    ) -> @Sendable (AppMessage) -> AppMessage? {
        let ways = old.map { gear -> [(gear: Int, message: Int, way: Way)?] in
            guard let at = new.firstIndex(where: { $0.name == gear.name }) else {
                return gear.messages.map { _ in nil }
            }
            return gear.messages.map { message in
                guard let index = new[at].messages.firstIndex(where: { $0.name == message.name }),
                    let way = way(from: message.type, to: new[at].messages[index].type)
                else { return nil }
                return (at, index, way)
            }
        }
        return { message in
            guard addressesStayValid || message.payload.pointers.isEmpty else { return nil }
            return ways[message.gear][message.message].map {
                AppMessage(gear: $0.gear, message: $0.message, payload: record(message.payload, $0.way))
                    .at(message.position)
            }
        }
    }
}

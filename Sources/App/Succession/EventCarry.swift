import Manifest
import Records

/// What the events of a loop are in the loop that takes its place, by the names of events and fields. Used from any thread.
struct EventCarry: Sendable {
    private enum Way {
        /// The same record.
        case asItIs
        /// Field by field: from one name to the other's field, all of which are there.
        case byName(RecordType)
    }

    // By the index of an event before; nil: there is none of the name any more, or it has fields that were not there.
    private let ways: [(index: Int, way: Way)?]
    // By `AppEvent.message` before.
    private let origins: [Int?]
    private let keepsAddresses: Bool

    /// From one loop of a manifest to that of the same name in another one.
    ///
    /// - Parameter keepsAddresses: whether addresses mean what they did; else what has one means nothing.
    init(
        from old: LoopModel, of oldManifest: Manifest, to new: LoopModel, of newManifest: Manifest,
        keepsAddresses: Bool
    ) {
        self.keepsAddresses = keepsAddresses
        ways = old.events.map { event in
            guard let index = new.events.firstIndex(where: { $0.name == event.name }) else { return nil }
            guard let way = Self.way(from: event.type, to: new.events[index].type) else { return nil }
            return (index, way)
        }
        let now = MessageReceiver.origins(of: new, in: newManifest)
        origins = MessageReceiver.origins(of: old, in: oldManifest).map { now.firstIndex(of: $0) }
    }

    /// How a record of one type becomes one of another; nil: it cannot.
    private static func way(from old: RecordType, to new: RecordType) -> Way? {
        if old == new { return .asItIs }
        let isKnown = new.fields.allSatisfy { field in old.field(field.name)?.type == field.type }
        return isKnown && new.cases.isEmpty ? .byName(new) : nil
    }

    /// The event as the new loop takes it; nil: it means nothing there.
    func event(_ event: AppEvent) -> AppEvent? {
        guard let (index, way) = ways[event.index] else { return nil }
        guard keepsAddresses || event.payload.pointers.isEmpty else { return nil }
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

    /// How messages of gears become those of the gears of another manifest, by the names of gears, messages and fields.
    static func messages(
        from old: [GearModel], to new: [GearModel], keepsAddresses: Bool
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
            guard keepsAddresses || message.payload.pointers.isEmpty else { return nil }
            return ways[message.gear][message.message].map {
                AppMessage(gear: $0.gear, message: $0.message, payload: record(message.payload, $0.way))
            }
        }
    }
}

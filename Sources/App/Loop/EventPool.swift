import Records

/// The memory of events that were delivered, for the next ones of the same emission: so that a step allocates nothing, and
/// counts no references to it.
///
/// Used on the loop's executor only.
// Safe because of that.
final class EventPool: @unchecked Sendable {
    /// The place of one emission.
    final class Place {
        /// What its events begin with.
        let head: AppEvent.Head
        // Safe because of the same.
        @safe @exclusivity(unchecked) fileprivate var spare: Record?

        fileprivate init(_ head: AppEvent.Head) {
            self.head = head
        }

        /// Memory for an event, with the values of an earlier one in it; nil: there is none.
        @inline(__always)
        func take() -> Record? { spare.take() }
    }

    // Safe because of the same.
    @safe @exclusivity(unchecked) private var places: [Place] = []

    /// A place for the memory of one emission of an event, which is an index into `LoopModel.events`.
    func add(_ event: Int) -> Place {
        let place = Place(AppEvent.Head(index: event, place: places.count))
        places.append(place)
        return place
    }

    /// Takes the memory of an event that was delivered, unless somebody else still holds it.
    @inline(__always)
    func keep(_ event: consuming AppEvent) {
        guard let place = event.place else { return }
        var payload = (consume event).payload
        if payload.isUnique() { places[place].spare = consume payload }
    }
}

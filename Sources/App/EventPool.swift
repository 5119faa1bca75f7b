import Records

/// The memory of events that were delivered, for the next ones of the same emission: so that a step allocates nothing, and
/// counts no references to it.
///
/// Used on the loop's executor only.
// Safe because of that.
final class EventPool: @unchecked Sendable {
    /// The place of one emission.
    final class Place {
        let index: Int
        // Safe because of the same.
        @safe @exclusivity(unchecked) fileprivate var spare: Record?

        fileprivate init(_ index: Int) {
            self.index = index
        }

        /// Memory for an event, with the values of an earlier one in it; nil: there is none.
        @inline(__always)
        func take() -> Record? { spare.take() }
    }

    // Safe because of the same.
    @safe @exclusivity(unchecked) private var places: [Place] = []

    func add() -> Place {
        let place = Place(places.count)
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

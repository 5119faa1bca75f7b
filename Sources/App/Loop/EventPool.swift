import Records

/// The memory of delivered events. The next event of the same emission uses it, so that a step allocates
/// nothing.
///
/// Used on the loop's executor only.
// Safe because only the loop's executor uses it.
final class EventPool: @unchecked Sendable {
    /// The place of one emission.
    final class Place {
        /// The head of its events.
        let head: AppEvent.Head
        // Safe because only the loop's executor uses it.
        @safe @exclusivity(unchecked) fileprivate var spare: Record?

        fileprivate init(_ head: AppEvent.Head) {
            self.head = head
        }

        /// Memory for an event, with the values of an earlier one in it; nil when there is none.
        @inline(__always)
        func take() -> Record? { spare.take() }
    }

    // Safe because only the loop's executor uses it.
    @safe @exclusivity(unchecked) private var places: [Place] = []

    /// Adds a place for the memory of one emission.
    ///
    /// - Parameter event: an index into `LoopModel.events`.
    func add(_ event: Int) -> Place {
        let place = Place(AppEvent.Head(index: event, place: places.count))
        places.append(place)
        return place
    }

    /// Keeps the memory of a delivered event, unless another reference to it exists.
    @inline(__always)
    func keep(_ event: consuming AppEvent) {
        guard let place = event.place else { return }
        var payload = (consume event).payload
        if payload.isUnique() { places[place].spare = consume payload }
    }
}

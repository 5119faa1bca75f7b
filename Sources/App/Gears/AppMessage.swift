import Records

/// A message on its way through a gear of the manifest.
struct AppMessage: Hashable, Sendable {
    /// Index into `Manifest.gears`.
    let gear: Int
    /// Index into `GearModel.messages`.
    let message: Int
    /// A record of the message's type.
    let payload: Record
    /// Its position in the journal; 0 without one.
    private(set) var position: UInt64 = 0

    init(gear: Int, message: Int, payload: Record) {
        (self.gear, self.message, self.payload) = (gear, message, payload)
    }

    /// The message with its position.
    func at(_ position: UInt64) -> AppMessage {
        var placed = self
        placed.position = position
        return placed
    }
}

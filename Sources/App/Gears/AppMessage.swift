import Records

/// A message on its way through a gear of the manifest.
struct AppMessage: Hashable, Sendable {
    /// Index into `Manifest.gears`.
    let gear: Int
    /// Index into `GearModel.messages`.
    let message: Int
    /// A record of the message's type.
    let payload: Record
}

import HostLoop
import Records

/// Where a loop goes on: one of another app that rests, or has stopped, in the state that this one begins with.
struct LoopPlace: Sendable {
    let loop: Loop<Record, AppEvent>
    let assembly: LoopAssembly
    let state: Record
    /// Whether all libraries go on, so that addresses mean what they did.
    let keepsAddresses: Bool
    /// What messages are to this app, that were for the one before.
    let message: @Sendable (AppMessage) -> AppMessage?
}

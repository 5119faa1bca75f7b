import HostLoop
import Records

/// The loop before, whose place a new loop takes. It rests or has stopped.
struct LoopPredecessor: Sendable {
    let loop: Loop<Record, AppEvent>
    let assembly: LoopAssembly
    /// Of a loop with a key, the instances. The loop itself receives their messages.
    let instances: LoopKind.Predecessor?
    /// The state that the new loop begins with.
    let state: Record
    /// Whether all libraries stay loaded, so that addresses stay valid.
    let addressesStayValid: Bool
    /// Converts messages of the app before; nil if a message has no counterpart.
    let message: @Sendable (AppMessage) -> AppMessage?
}

import HostLoop
import Manifest

/// Keeps the messages that the loops of an app send, while a client watches them. May be used from any thread.
final class MessageWatch: Sendable {
    /// The greatest number of messages that are kept.
    static let most = 1000

    private struct State {
        var openings = 0
        var ring = ActivityRing(capacity: MessageWatch.most)
    }

    private let gears: [GearModel]
    private let order: ActivityOrder
    private let state = Lock(State())

    init(_ manifest: Manifest, _ order: ActivityOrder) { (gears, self.order) = (manifest.gears, order) }

    /// Keeps messages from now on. Calls are counted.
    func open(_ tap: MessageTap?) {
        let isFirst = state.withLock { state in
            state.openings += 1
            return state.openings == 1
        }
        if isFirst { tap?.watch { [weak self] in self?.sent($0) } }
    }

    /// The run begins that has the tap.
    func begins(_ tap: MessageTap) {
        if state.withLock({ $0.openings > 0 }) { tap.watch { [weak self] in self?.sent($0) } }
    }

    /// Ends one `open`. After the last, nothing is kept.
    func close(_ tap: MessageTap?) {
        let isLast = state.withLock { state in
            state.openings -= 1
            if state.openings == 0 { state.ring.removeAll() }
            return state.openings == 0
        }
        if isLast { tap?.watch(nil) }
    }

    private func sent(_ message: AppMessage) {
        let gear = gears[message.gear]
        state.withLock { state in
            state.ring.append(
                AppActivity(
                    position: order.next(), loop: nil, key: nil, time: WallClock.coarse,
                    content: .message(
                        gear: gear.name, message: gear.messages[message.message].name,
                        payload: message.payload)))
        }
        order.report()
    }

    var total: UInt64 { state.withLock(\.ring.total) }

    /// The messages after the first `seen` ones, and how many of them are lost.
    ///
    /// - Parameter seen: moves behind the messages that are returned.
    func messages(after seen: inout UInt64) -> (lost: Int, kept: [AppActivity]) {
        state.withLock { $0.ring.after(&seen) }
    }
}

import NIOCore

/// Counts the connections of a server that has one event loop.
struct ConnectionCount: Sendable {
    /// The server has as many connections as it takes.
    struct Full: Error {}

    private let most: Int
    private let count: NIOLoopBoundBox<Int>

    /// - Parameter most: the limit.
    init(_ most: Int, on loop: any EventLoop) {
        self.most = most
        count = .makeBoxSendingValue(0, eventLoop: loop)
    }

    /// Counts a connection until it closes; false if there are too many. It must be called on the event loop.
    func enter(_ channel: any Channel) -> Bool {
        guard count.value < most else { return false }
        count.value += 1
        channel.closeFuture.whenComplete { [count] _ in count.value -= 1 }
        return true
    }
}

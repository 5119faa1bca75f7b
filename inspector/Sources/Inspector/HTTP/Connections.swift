import NIOCore

/// The connections of a server that has one event loop.
struct Connections: Sendable {
    /// The server has as many connections as it takes.
    struct Full: Error {}

    /// What each connection hears when the server ends.
    struct ServerEnds: Sendable {}

    private let most: Int
    private let channels: NIOLoopBoundBox<[ObjectIdentifier: any Channel]>

    /// - Parameter most: the greatest number of connections.
    init(_ most: Int, on loop: any EventLoop) {
        self.most = most
        channels = .makeBoxSendingValue([:], eventLoop: loop)
    }

    /// Counts a connection until it closes; false if there are too many. It must be called on the event loop.
    func enter(_ channel: any Channel) -> Bool {
        guard channels.value.count < most else { return false }
        let key = ObjectIdentifier(channel)
        channels.value[key] = channel
        channel.closeFuture.whenComplete { [channels] _ in channels.value[key] = nil }
        return true
    }

    /// Says to all connections that the server ends. It must be called on the event loop.
    func end() {
        for channel in channels.value.values { channel.pipeline.fireUserInboundEventTriggered(ServerEnds()) }
    }
}

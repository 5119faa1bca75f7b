import NIOCore

/// How much the server takes of its clients, and how long it waits. Tests use smaller ones.
struct InspectorLimits: Sendable {
    /// The longest head of a request, in bytes.
    var head = 8 << 10
    /// The most connections at a time.
    var connections = 16
    /// The time for the head of a request, and again for the client to take the answer.
    var request = TimeAmount.seconds(10)
    /// The time for the first message of a page.
    var hello = TimeAmount.seconds(2)
    /// The time for an answer of the host.
    var host = TimeAmount.seconds(2)
    /// How long a page may leave what was sent to it.
    var stall = TimeAmount.seconds(10)
    /// The time between two pings.
    var ping = TimeAmount.seconds(20)
    /// The longest message of a page, in bytes.
    var message = 1 << 20
    /// The longest line of the host, in bytes.
    var line = 16 << 20
    /// The most requests of a page without an answer, before the server reads no more of them.
    var requests = 256
    /// The shortest and the longest time between two tries to reach the host.
    var retry = (first: TimeAmount.milliseconds(100), last: TimeAmount.seconds(2))
    /// The most series of `/metrics`, before the server warns.
    var series = 2000
}

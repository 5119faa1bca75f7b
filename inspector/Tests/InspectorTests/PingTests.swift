import NIOCore
import NIOEmbedded
import NIOWebSocket
import Testing

@testable import Inspector

/// Pings find pages that have gone without a word, in a time that the tests make.
@Suite struct PingTests {
    private let channel: EmbeddedChannel

    init() throws {
        var limits = InspectorLimits()
        limits.hello = .hours(1)
        let site = Site(
            options: InspectorOptions(socket: "/nowhere"), limits: limits, token: Token(), log: { _ in })
        channel = EmbeddedChannel(handler: PageHandler(site))
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    }

    /// The kind of the next frame to the page; nil if there is none.
    private func sent() throws -> WebSocketOpcode? {
        try channel.readOutbound(as: WebSocketFrame.self)?.opcode
    }

    @Test func `A page that does not answer a ping is ended at the next one`() throws {
        channel.embeddedEventLoop.advanceTime(by: .seconds(19))
        #expect(try sent() == nil)
        channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        #expect(try sent() == .ping)
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .seconds(20))
        #expect(try sent() == nil)
        #expect(!channel.isActive)
    }

    @Test func `A page that answers stays`() throws {
        for _ in 0..<10 {
            channel.embeddedEventLoop.advanceTime(by: .seconds(20))
            #expect(try sent() == .ping)
            let mask = WebSocketMaskingKey([1, 2, 3, 4])
            try channel.writeInbound(
                WebSocketFrame(fin: true, opcode: .pong, maskKey: mask, data: ByteBuffer()))
        }
        #expect(channel.isActive)
        #expect(try channel.finish().isClean)
    }
}

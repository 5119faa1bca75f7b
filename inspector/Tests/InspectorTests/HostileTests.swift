import Foundation
import NIOCore
import Testing

@testable import Inspector

/// Clients that want to harm the server or the host.
@Suite(.timeLimit(.minutes(5))) struct HostileTests {
    @Test func `Frames against the rules close the page`() throws {
        let server = try TestServer(try FakeHost.echoing().start())
        let text = Array(#"{"request":"state"}"#.utf8)
        let cases: [(String, [UInt8], Int)] = [
            ("binary", WebSocketClient.frame(opcode: 2, text), 1003),
            ("not masked", WebSocketClient.frame(opcode: 1, text, isMasked: false), 1002),
            ("continues nothing", WebSocketClient.frame(opcode: 0, text), 1002),
            ("reserved opcode", WebSocketClient.frame(opcode: 3, text), 1002),
            ("reserved bit", [0xC1, 0x80, 1, 2, 3, 4], 1002),
            ("not UTF-8", WebSocketClient.frame(opcode: 1, [0xFF, 0xFE]), 1007),
            ("1 GiB announced", [0x81, 0xFF, 0, 0, 0, 0, 0x40, 0, 0, 0, 1, 2, 3, 4], 1009),
            (
                "the longest length",
                [0x81, 0xFF, 0xFF] + [UInt8](repeating: 0xFF, count: 7) + [1, 2, 3, 4], 1009
            ),
            ("long ping", WebSocketClient.frame(opcode: 9, [UInt8](repeating: 0, count: 126)), 1002),
        ]
        for (name, bytes, code) in cases {
            let page = try server.livePage()
            page.socket.send(bytes)
            let answer = page.next()
            #expect(answer == "closed \(code)", "\(name)")
            page.send(opcode: 8, [])
            #expect(page.next() == nil, "\(name)")
        }
    }

    @Test func `Fragments of more than 1 MiB together close the page`() throws {
        let server = try TestServer(try FakeHost.echoing().start()) { $0.message = 1000 }
        let page = try server.livePage()
        page.send(opcode: 1, [UInt8](repeating: 0x20, count: 600), isLast: false)
        page.send(opcode: 0, [UInt8](repeating: 0x20, count: 600), isLast: false)
        #expect(page.next() == "closed 1009")
        // What follows is not kept, whatever it is.
        for opcode in [UInt8(0), 1, 2, 0] {
            page.send(opcode: opcode, [UInt8](repeating: 0x20, count: 900), isLast: false)
        }
        page.send(opcode: 8, [])
        #expect(page.next() == nil)
    }

    @Test func `A thousand connections at once leave the server as it was`() throws {
        let server = try TestServer(try FakeHost.echoing().start())
        let page = try server.livePage()
        let crowd = try (0..<1000).map { _ in try TestSocket.connected(port: server.port) }
        // Sixteen are taken, one of them the page. The server closes the others at once.
        for late in crowd.suffix(900) { #expect(late.receive(1).isEmpty) }
        page.send(#"{"request":"state"}"#)
        #expect(page.next() == #"{"ok":true,"to":{"request":"state"}}"#)
        for socket in crowd { socket.shutDown() }
        // Their places are free again.
        var status = ""
        while status != "200" { status = try server.status("/") }
    }

    @Test func `A connection without a request ends after some time`() throws {
        let server = try TestServer(try FakeHost.echoing().start()) { $0.request = .milliseconds(20) }
        let silent = try TestSocket.connected(port: server.port)
        #expect(silent.rest() == "")
        let slow = try TestSocket.connected(port: server.port)
        slow.send("GET / HTTP/1.1\r\nHost: ")
        #expect(slow.rest() == "")
    }

    @Test func `A page that does not read is cut off, and another one is served meanwhile`() throws {
        let host = try FakeHost.echoing().start()
        let server = try TestServer(host) { $0.stall = .milliseconds(50) }
        let slow = try server.livePage(buffer: 4096)
        // A thread of its own pushes, as the server stops reading from the host.
        let pushed = #"{"log":"\#(String(repeating: "x", count: 100_000))"}"#
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            for _ in 0..<400 { host.push(pushed) }
            done.signal()
        }
        while !server.log.all.contains("a page read too slowly and was cut off") { sched_yield() }
        host.stop()
        done.wait()
        // What was on its way may come, and then the end.
        while slow.frame() != nil {}
        try host.start()
        let other = try server.livePage()
        other.send(#"{"request":"state"}"#)
        #expect(other.next() == #"{"ok":true,"to":{"request":"state"}}"#)
    }

    @Test func `A page that asks without end is not read any more, and gets one answer for each request`()
        throws
    {
        let host = try FakeHost(.answering { $0.contains("graph") ? #"{"ok":true}"# : nil }).start()
        let server = try TestServer(host) { $0.requests = 10 }
        let page = try server.livePage()
        let request = #"{"request":"state","filler":"\#(String(repeating: "x", count: 4000))"}"#
        for _ in 0..<200 { page.send(request) }
        while host.requests.count < 11 { sched_yield() }
        // By the answer to another page, the server has read of the first one what it wants.
        let other = try server.livePage()
        other.send(#"{"request":"graph"}"#)
        #expect(other.next() == #"{"ok":true}"#)
        #expect(host.requests.count < 150)
        host.stop()
        var answers = 0
        while answers < 200 {
            let line = try #require(page.next())
            guard line.hasPrefix(#"{"ok""#) else { continue }
            answers += 1
            #expect(line.contains(#""code":"no-host""#))
        }
    }
}

import Foundation
import NIOCore
import Testing

@testable import Inspector

/// What a page says and hears over its WebSocket.
@Suite(.timeLimit(.minutes(5))) struct PageTests {
    private func fault(_ code: String, _ message: String, _ help: String? = nil) -> String {
        PageRequest.fault(code, message, help: help.map { [$0] } ?? [])
    }

    @Test func `A page without the right token is closed`() throws {
        let host = try FakeHost.echoing().start()
        let server = try TestServer(host)
        for token in [
            "", "0", String(server.token.dropLast()), server.token + "0", String(repeating: "0", count: 32),
        ] {
            let page = try WebSocketClient(port: server.port)
            page.send(#"{"request":"hello","token":"\#(token)"}"#)
            #expect(page.next() == "closed 4401")
        }
        for message in [#"{"request":"state"}"#, "hello", "[]", #"{"request":"hello","request":"state"}"#] {
            let page = try WebSocketClient(port: server.port)
            page.send(message)
            #expect(page.next() == "closed 4400", "\(message)")
        }
        let page = try WebSocketClient(port: server.port)
        page.send(#"{"request":"hello"}"#)
        #expect(page.next() == "closed 4401")
        #expect(host.requests.isEmpty)
    }

    @Test func `A page that says nothing is closed`() throws {
        let host = try FakeHost.echoing().start()
        let server = try TestServer(host) { $0.hello = .milliseconds(20) }
        let page = try WebSocketClient(port: server.port)
        #expect(page.next() == "closed 4400")
        // It does not answer the close either, and is ended.
        #expect(page.next() == nil)
    }

    @Test func `Lines pass in both directions as they are`() throws {
        let host = try FakeHost.echoing().start()
        let server = try TestServer(host)
        let page = try server.livePage()
        let request = #"{ "request" : "state", "loop":"dö\u006fr" }"#
        page.send(request)
        #expect(page.next() == #"{"ok":true,"to":\#(request)}"#)
        host.push(#"{"step":{"position":1}}"#)
        #expect(page.next() == #"{"step":{"position":1}}"#)
        #expect(host.requests == [HostGreeting.hello, request])
    }

    @Test func `A page that only reads cannot change the app`() throws {
        let host = try FakeHost.echoing().start()
        let server = try TestServer(host)
        let page = try server.livePage()
        for request in ["send", "swap", "reload", "unquarantine", "later"] {
            page.send(#"{"request":"\#(request)","event":"pushed"}"#)
            #expect(
                page.next()
                    == fault(
                        "read-only", "the inspector only reads, and `\(request)` may change the app",
                        "start the inspector with `--write`"))
        }
        // Other ways to write the same word.
        page.send(#"{"request":"\u0073end","event":"pushed"}"#)
        #expect(page.next()?.contains("read-only") == true)
        page.send(#"{"request":"state","request":"send"}"#)
        #expect(page.next() == fault("invalid-json", "a key occurs twice"))
        page.send(#"{"request":"state","r\u0065quest":"send"}"#)
        #expect(page.next() == fault("invalid-json", "a key occurs twice"))
        page.send("{\"request\":\"state\",\n\"x\":1}")
        #expect(page.next() == fault("invalid-json", "a message is one line"))
        page.send("{\"request\":\"state\"}\n{\"request\":\"send\"}")
        #expect(page.next() == fault("invalid-json", "the message is not JSON: the fault is at byte 21"))
        #expect(host.requests == [HostGreeting.hello])
    }

    @Test func `A page may change the app if the server may`() throws {
        let host = try FakeHost.echoing().start()
        let server = try TestServer(host, write: true)
        let page = try server.livePage()
        for request in ["send", "swap", "reload", "unquarantine"] {
            page.send(#"{"request":"\#(request)"}"#)
            #expect(page.next() == #"{"ok":true,"to":{"request":"\#(request)"}}"#)
        }
    }

    @Test func `A second hello, and a message without a request, are answered by the server`() throws {
        let server = try TestServer(try FakeHost.echoing().start())
        let page = try server.page()
        page.send(#"{"request":"hello","version":1}"#)
        page.send("7")
        let answers = [page.next(), page.next(), page.next()].filter { $0?.hasPrefix(#"{"ok""#) == true }
        #expect(
            answers == [
                fault("unknown-request", "the page has said hello before"),
                fault(
                    "missing-key", "a message needs the key `request`",
                    "write an object such as `{\"request\":\"state\"}`"),
            ])
    }

    @Test func `Answers come in the order of the requests, from the server and from the host`() throws {
        let host = try FakeHost(.answering { $0.contains("steps") ? nil : #"{"ok":true,"to":\#($0)}"# })
            .start()
        let server = try TestServer(host)
        let page = try server.livePage()
        page.send(#"{"request":"steps"}"#)
        page.send(#"{"request":"swap"}"#)
        page.send(#"{"request":"state"}"#)
        // This answer of the host is the one to `steps`, as it answers in order.
        #expect(page.next() == #"{"ok":true,"to":{"request":"state"}}"#)
        #expect(page.next()?.contains("read-only") == true)
        host.stop()
        // The third request gets its answer from the server.
        #expect(page.next() == fault("no-host", "the host has ended the connection"))
    }

    @Test func `Fragments become one message, and a ping may come between them`() throws {
        let server = try TestServer(try FakeHost.echoing().start())
        let page = try server.livePage()
        page.send(opcode: 1, Array(#"{"request":"#.utf8), isLast: false)
        page.send(opcode: 9, [1, 2, 3])
        page.send(opcode: 0, [], isLast: false)
        page.send(opcode: 0, Array(#""state"}"#.utf8))
        #expect(page.frame() == WebSocketClient.Frame(opcode: 10, content: [1, 2, 3]))
        #expect(page.next() == #"{"ok":true,"to":{"request":"state"}}"#)
    }

    @Test func `A close is answered, and the connection ends`() throws {
        let server = try TestServer(try FakeHost.echoing().start())
        let page = try server.livePage()
        page.send(opcode: 8, [0x03, 0xE9])
        #expect(page.frame() == WebSocketClient.Frame(opcode: 8, content: [0x03, 0xE9]))
        #expect(page.frame() == nil)
    }
}

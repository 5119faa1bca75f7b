import Foundation
import TestSupport
import Testing

/// `websocket` of `spin:http` through nginx.
@Suite(.timeLimit(.minutes(10)), .enabled(if: Nginx.program != nil, Nginx.advice))
struct NginxSocketTests {
    @Test func `a WebSocket goes through TLS`() throws {
        let world = try SocketWorld()
        let nginx = try Nginx(
            """
            location /socket {
                proxy_pass http://127.0.0.1:\(world.port);
                proxy_http_version 1.1;
                proxy_set_header Upgrade $http_upgrade;
                proxy_set_header Connection upgrade;
            }
            """)
        let url = "wss://127.0.0.1:\(nginx.port)/socket"
        let app = try world.start(url, config: "ca_file = '\(nginx.folder.url("cert.pem").path)'")
        #expect(app.nextLine() == "\(url) opened ")
        #expect(world.server.nextLine() == "/socket asked")
        try world.server.write("/socket binary 1000000")
        #expect(app.nextLine() == "\(url) 1000000 bytes")
        try app.write("text " + String(repeating: "x", count: 1_000_000))
        #expect(world.server.nextLine() == "/socket binary 1000000")
        try world.server.write("/socket drop")
        #expect(
            app.nextLine()
                == "\(url) closed 1006 the server has ended the connection without closing the WebSocket")
        app.endInOrder()
        let stranger = try world.start(url)
        #expect(
            stranger.nextLine().hasPrefix("-60 \(url): SSL certificate problem"))
        stranger.endInOrder()
    }
}

import NIOCore
import NIOHTTP1

/// An answer to a request. The server closes the connection after it.
struct Reply: Sendable {
    let status: HTTPResponseStatus
    /// The type of the content, such as `text/css; charset=utf-8`.
    let type: String
    let content: [UInt8]
    /// The random text that scripts and styles of the page carry; nil for anything but the page.
    var nonce: String?
    /// The methods that the server allows, if the request had another one.
    var allow: String?

    init(_ status: HTTPResponseStatus, type: String, content: [UInt8], nonce: String? = nil) {
        (self.status, self.type, self.content, self.nonce) = (status, type, content, nonce)
    }

    /// A line of text.
    init(_ status: HTTPResponseStatus, _ line: String) {
        self.init(status, type: "text/plain; charset=utf-8", content: Array("\(line)\n".utf8))
    }

    /// A JSON object.
    init(_ status: HTTPResponseStatus, _ value: JSON) {
        self.init(status, type: "application/json", content: Array("\(value.line)\n".utf8))
    }

    /// The head of the answer, with what keeps browsers from using it elsewhere.
    var head: HTTPResponseHead {
        var policy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        if let nonce {
            policy =
                "default-src 'none'; script-src 'self' 'nonce-\(nonce)'; style-src 'self' 'nonce-\(nonce)'; "
                + "connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        }
        var headers: HTTPHeaders = [
            "Content-Type": type, "Content-Length": "\(content.count)", "Connection": "close",
            "Content-Security-Policy": policy, "X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer",
            "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff",
            "Cross-Origin-Resource-Policy": "same-origin", "Cross-Origin-Opener-Policy": "same-origin",
        ]
        if let allow { headers.add(name: "Allow", value: allow) }
        return HTTPResponseHead(version: .http1_1, status: status, headers: headers)
    }
}

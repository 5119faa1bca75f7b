/// The first line of a host, and its answer to `hello`.
struct HostGreeting: Equatable, Sendable {
    let app: String
    /// The process of the host.
    let process: Int64
    /// The time since when the app listens, in RFC 3339; nil before `hello` was answered.
    var since: String?

    /// The request for version 2.
    static let hello = #"{"request":"hello","version":2}"#

    /// - Parameter line: the first line of the host.
    /// - Throws: if the line does not come from a host, or if the host speaks version 1 only.
    init(_ line: [UInt8]) throws(HostFailure) {
        guard let value = try? JSONParser.value(of: line) else {
            throw .noHost("the program that listens at the socket is not spinhost")
        }
        guard value["spinhost"]?.integer != nil, let app = value["app"]?.text else {
            throw .noHost(
                value["error"]?["message"]?.text ?? "the program that listens at the socket is not spinhost")
        }
        guard value["versions"]?.elements.contains(.number("2")) == true else {
            throw HostFailure(
                code: "other-version",
                message: "the host speaks protocol 1 only; start the app with the spinhost of this inspector")
        }
        self.app = app
        process = value["pid"]?.integer ?? 0
    }

    /// Takes the answer to `hello`.
    ///
    /// - Throws: if the host has refused.
    mutating func take(_ line: [UInt8]) throws(HostFailure) {
        guard let value = try? JSONParser.value(of: line), value["ok"] == .bool(true) else {
            throw HostFailure(code: "other-version", message: "the host refuses to speak protocol 2")
        }
        since = value["since"]?.text
    }
}

/// Decides whether a request comes from a page of this server. It looks at the headers `Host` and `Origin`.
///
/// A page of another site can have the browser send requests here, also under a name of its own that it makes
/// resolve to 127.0.0.1 (DNS rebinding). So `Host` must be a literal that no other site can have.
struct HostGuard: Sendable {
    /// The port that the server listens at.
    let port: Int
    /// A further name: the address that the connection came in at; nil without one.
    let own: String?

    /// The reason against a request; nil if it is allowed.
    ///
    /// - Parameters:
    ///   - hosts: the values of all `Host` headers.
    ///   - origins: the values of all `Origin` headers.
    func refusal(hosts: [String], origins: [String]) -> String? {
        guard hosts.count == 1 else { return "a request needs one header `Host`" }
        guard accepts(hosts[0]) else { return "the header `Host` does not name this server" }
        guard origins.count <= 1 else { return "a request may have one header `Origin`" }
        if let origin = origins.first, origin != "http://\(hosts[0])" {
            return "the header `Origin` names another site"
        }
        return nil
    }

    private func accepts(_ host: String) -> Bool {
        var names = ["localhost", "127.0.0.1", "[::1]"]
        if let own { names.append(own) }
        return names.contains { name in
            host.lowercased() == "\(name):\(port)" || port == 80 && host.lowercased() == name
        }
    }
}

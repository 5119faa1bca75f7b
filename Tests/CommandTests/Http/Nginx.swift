import Foundation
import TestSupport
import Testing

/// nginx with a certificate of its own, whose log has a line for each request.
struct Nginx {
    /// Its program; `nil` if the machine has none.
    static let program = ["/usr/sbin/nginx", "/usr/bin/nginx"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }
    static let advice: Comment = "there is no `nginx` on this machine: apt install nginx-light"

    let folder: TemporaryFolder
    let port: Int
    private let server: RunningProgram

    /// - Parameter more: further lines of its server.
    init(_ more: String = "") throws {
        folder = try TemporaryFolder()
        port = try ServerProgram.freePort()
        let made = try Shell.run(
            "openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1",
                "-keyout", "key.pem", "-out", "cert.pem",
            ], in: folder.root)
        try #require(made.status == 0, "\(made.errors)")
        try folder.write("text.txt", String(repeating: "a line of text\n", count: 100_000))
        let long = String(repeating: "text ", count: 200) + "\n"
        try folder.write("long.txt", String(repeating: long, count: 10_000))
        let root = folder.root.path
        try folder.write(
            "nginx.conf",
            """
            daemon off;
            master_process off;
            pid \(root)/pid;
            error_log \(root)/errors;
            events {}
            http {
                access_log off;
                log_format plain '$server_protocol $connection_requests $sent_http_content_encoding $status $uri';
                client_body_temp_path \(root)/b; proxy_temp_path \(root)/p; fastcgi_temp_path \(root)/f;
                uwsgi_temp_path \(root)/u; scgi_temp_path \(root)/s;
                server {
                    listen 127.0.0.1:\(port) ssl http2;
                    ssl_certificate \(root)/cert.pem;
                    ssl_certificate_key \(root)/key.pem;
                    access_log \(root)/requests plain;
                    root \(root);
                    gzip on;
                    gzip_types text/plain;
                    \(more)
                }
            }
            """)
        server = try RunningProgram(
            ["-p", root, "-e", "\(root)/errors", "-c", "\(root)/nginx.conf"],
            program: try #require(Self.program))
        // nginx writes its number when it listens.
        try blockUntil { (try? String(contentsOf: folder.url("pid"), encoding: .utf8))?.isEmpty == false }
    }

    var address: String { "https://127.0.0.1:\(port)" }

    /// The lines of the log, once there are as many.
    func requests(_ count: Int) throws -> [String] {
        var lines: [String] = []
        try blockUntil {
            let log = (try? String(contentsOf: folder.url("requests"), encoding: .utf8)) ?? ""
            lines = log.split(separator: "\n").map(String.init)
            return lines.count >= count
        }
        return lines
    }
}

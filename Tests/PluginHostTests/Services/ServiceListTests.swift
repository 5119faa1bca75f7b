import Foundation
import Records
import TestSupport
import Testing

/// The services of the header are those of the page, of the C tests' host, and of the Rust crate.
struct ServiceListTests {
    private struct Service: Hashable {
        let id: String
        let functions: [String]
    }

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: Project.root.appendingPathComponent(path), encoding: .utf8)
    }

    /// `#define SPIN_LOG_SERVICE "spin.log/1"`, and the functions of the struct that follows.
    private static func header() throws -> [Service] {
        let service = #/#define SPIN_[A-Z]+_SERVICE "(.+?)".*?typedef struct spin_\w+_service \{(.*?)\n\}/#
        return try text("Sources/CPluginABI/include/spinhost/plugin.h")
            .matches(of: service.dotMatchesNewlines()).map { found in
                let functions = found.2.matches(of: #/\(\*(\w+)\)\(const spin_host \*host/#)
                return Service(id: String(found.1), functions: functions.map { String($0.1) })
            }
    }

    @Test func `the page lists each service with its functions`() throws {
        let rows = try Self.text("docs/abi.md").matches(of: #/\| `(spin\.\w+/\d+)` \| (.+) \|/#).map { row in
            Service(id: String(row.1), functions: row.2.matches(of: #/`(\w+)`/#).map { String($0.1) })
        }
        let services = try Self.header()
        #expect(services.count >= 6 && services.allSatisfy { !$0.functions.isEmpty })
        #expect(rows == services)
    }

    @Test func `the host gives a table for each service`() throws {
        let lines = try Self.header().map { "    answer += !!spin_service(\"\($0.id)\");" }
        let source = """
            #include <spinhost/plugin.h>
            SPIN_PLUGIN("services", "1.0");
            static int32_t count(void) {
                int32_t answer = 0;
            \(lines.joined(separator: "\n"))
                return answer;
            }
            SPIN_EFFECT(int32_t, count, (void), "");

            """
        let host = try TestHost()
        let image = try host.open(path: try PluginFixture.path(source: source, as: "services.c"))
        #expect(try host.call(image, "count") == .int(Int64(lines.count)))
    }

    @Test func `the host of the C tests has each service`() throws {
        let host = try Self.text("Tests/Fixtures/abi/fake_host.c")
        let names = try Self.text("Sources/CPluginABI/include/spinhost/plugin.h")
            .matches(of: #/#define (SPIN_\w+_SERVICE) "/#).map(\.1)
        #expect(names.count >= 6)
        for name in names { #expect(host.contains("{\(name), "), "\(name)") }
    }

    @Test func `a service of the Rust crate has the functions of the header, in order`() throws {
        let crate = try Self.text("bindings/rust/src/call.rs")
        let services = try Self.header()
        var seen: Set<String> = []
        for use in crate.matches(of: #/service::<(\w+)>\(c"(.+?)"\)/#) {
            let structure = try #require(
                crate.firstMatch(
                    of: try Regex("struct \(use.1) \\{\n    size: u32,\n    flags: u32,\n((.|\n)*?)\n\\}")))
            let members = structure.output[1].substring ?? ""
            let functions = members.matches(of: #/(\w+): extern "C" fn\(\*const Host/#).map { String($0.1) }
            #expect(
                services.contains(Service(id: String(use.2), functions: functions)), "\(use.2) \(functions)")
            seen.insert(String(use.2))
        }
        #expect(seen.count >= 3)
    }
}

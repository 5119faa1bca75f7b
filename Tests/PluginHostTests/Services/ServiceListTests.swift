import Foundation
import Records
import TestSupport
import Testing

/// `script/services` writes all lists of services from the headers.
struct ServiceListTests {
    @Test func `every list of services follows from the headers`() throws {
        let script = Project.root.appendingPathComponent("script/services").path
        let outcome = try Shell.run(script, ["--check"])
        #expect(outcome.status == 0, "\(outcome.errors)")
    }

    @Test(arguments: ["spin_strange", "const spin_strange *"])
    func `a type without a name in Rust is refused`(_ type: String) throws {
        let folder = try TemporaryFolder()
        for path in ["script", "Sources/CPluginABI/include/spinhost/services"] {
            try FileManager.default.createDirectory(at: folder.url(path), withIntermediateDirectories: true)
        }
        let script = Project.root.appendingPathComponent("script/services")
        try folder.write("script/services", String(contentsOf: script, encoding: .utf8))
        try folder.write(
            "Sources/CPluginABI/include/spinhost/services/one.h",
            """
            #define SPIN_ONE_SERVICE "spin.one/1"
            typedef struct spin_one_service {
                uint32_t size;
                uint32_t flags;
                spin_status (*take)(const spin_host *host, \(type) value);
            } spin_one_service;

            """)
        let outcome = try Shell.run("python3", [folder.url("script/services").path])
        #expect(outcome.status == 1)
        #expect(outcome.errors == "services: no Rust type for `spin_strange`\n")
    }

    @Test func `the host gives a table for each service`() throws {
        let folder = Project.root.appendingPathComponent("Sources/CPluginABI/include/spinhost/services")
        let lines = try FileManager.default.contentsOfDirectory(atPath: folder.path).map { file in
            let name = file.replacing(".h", with: "").uppercased()
            return "    answer += !!spin_service(SPIN_\(name)_SERVICE);"
        }
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
        #expect(lines.count >= 6)
        #expect(try host.call(image, "count") == .int(Int64(lines.count)))
    }
}

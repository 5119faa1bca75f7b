import Foundation
import TestSupport
import Testing

@testable import Interfaces

/// Plugins that come with the host, by their names.
struct IncludedPluginTests {
    @Test func `a name leads to the file of the checkout that the program was built in`() throws {
        let file = Project.root.appendingPathComponent("build/plugins/http/http.so").path
        #expect(try IncludedPlugin.path(of: "spin:http") == file)
        #expect(
            try LibraryLocation.resolve(library: "spin:http", manifestFolder: "/app", pluginPath: ["/x"])
                == .file(file))
    }

    @Test func `an installed program looks beside itself`() {
        #expect(
            IncludedPlugin.candidates("http", of: "/opt/a host/bin/spinhost")
                == ["/opt/a host/lib/spinhost/plugins/http.so"])
        #expect(
            IncludedPlugin.candidates("http", of: "/home/me/spinhost/.build/release/spinhost").last
                == "/home/me/spinhost/build/plugins/http/http.so")
    }

    @Test(arguments: ["http", "./spin:http", "libcurl.so.4", "SPIN:http"])
    func `other names are not for it`(_ name: String) throws {
        #expect(try IncludedPlugin.path(of: name) == nil)
    }

    @Test(arguments: [
        ("spin:", nil), ("spin:htpp", "did you mean `spin:http`?"), ("spin:../http", nil),
        ("spin:http/", "did you mean `spin:http`?"), ("spin:HTTP", "did you mean `spin:http`?"),
        ("spin:std", "`std` needs no entry: call its effects, such as `std:print`"),
    ])
    func `an unknown name is refused, with the names that there are`(_ name: String, _ hint: String?) {
        let error = #expect(throws: InterfaceError.self) { try IncludedPlugin.path(of: name) }
        #expect(error?.code == .unknownIncludedPlugin)
        #expect(
            error?.help == (hint.map { [$0] } ?? []) + [
                """
                these do: `spin:files`, `spin:gpio`, `spin:http`, `spin:mqtt`, `spin:nats`, `spin:net`, \
                `spin:postgres`, `spin:redis`, `spin:serial`, `spin:serve`, `spin:sqlite`
                """,
                "for a file with this name, write `./\(name)`",
            ])
    }

    @Test func `an entry with its name allows it, and nothing beside it`() throws {
        let file = Project.root.appendingPathComponent("build/plugins/http/http.so").path
        let other = Project.root.appendingPathComponent("build/plugins/std/std.so").path
        let allowed = try AllowedLibraries(["spin:http"], manifestFolder: "/app")
        try allowed.check(path: file)
        let error = #expect(throws: InterfaceError.self) { try allowed.check(path: other) }
        #expect(error?.code == .libraryNotAllowed)
        let without = try AllowedLibraries(["/usr"], manifestFolder: "/app")
        #expect(throws: InterfaceError.self) { try without.check(path: file) }
    }
}

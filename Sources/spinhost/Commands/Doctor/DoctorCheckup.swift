import CLinux
import Glibc
import Journal
import PluginHost
import Sandbox

/// Looks at what spinhost uses on this machine.
enum DoctorCheckup {
    /// All findings, in the order of the report.
    static var findings: [DoctorFinding] {
        [program, folderForCopies] + DoctorTool.all.map(\.finding) + [
            package, sqlite, curl, wslay, microhttpd, openssl, mosquitto, pq, hiredis, inspector,
        ]
            + kernel(.current)
    }

    /// The host starts itself again, for trials and for plugins in processes of their own.
    private static var program: DoctorFinding {
        let name = "Program"
        guard let path = InstalledPackage.program else {
            return DoctorFinding(
                name: name, status: .missing, text: "/proc/self/exe does not lead to this program",
                remedy: .command("mount -t proc proc /proc"), isRequired: true)
        }
        return DoctorFinding(name: name, status: .ok, text: path, isRequired: true)
    }

    /// The host loads copies of libraries, so that a file can be replaced while its plugin runs.
    private static var folderForCopies: DoctorFinding {
        func finding(_ status: DoctorFinding.Status, _ text: String, _ advice: String? = nil) -> DoctorFinding
        {
            DoctorFinding(
                name: "Folder for copies of libraries", status: status, text: text,
                remedy: advice.map { .advice($0) }, isRequired: true)
        }
        do throws(PluginError) {
            let folder = try StagingDirectory()
            let parent = String(folder.path[..<(folder.path.lastIndex(of: "/") ?? folder.path.endIndex)])
            // Safe because the path is a NUL-terminated copy for the call.
            if unsafe linux_forbids_programs(folder.path) {
                return finding(
                    .missing, "`\(parent)` is mounted with `noexec`, so no library can be loaded from there",
                    "set TMPDIR to another folder")
            }
            return finding(.ok, parent)
        } catch {
            return finding(.missing, error.message, error.help.first)
        }
    }

    /// The header and the CMake package for plugins.
    private static var package: DoctorFinding {
        let name = "Header and CMake package"
        guard let program = InstalledPackage.program, InstalledPackage.include(of: program) != nil,
            let prefix = InstalledPackage.prefix(of: program)
        else {
            return DoctorFinding(
                name: name, status: .missing,
                text: "plugins are built with them, and they are not beside the program",
                remedy: .command("apt install libspinhost-dev"))
        }
        return DoctorFinding(name: name, status: .ok, text: prefix)
    }

    /// What journals and the plugin `sqlite` need.
    private static var sqlite: DoctorFinding {
        let name = "SQLite"
        if let fault = SQLiteLibrary.fault {
            return DoctorFinding(
                name: name, status: .missing, text: "journals and the plugin `sqlite` need it (\(fault))",
                remedy: .command("apt install libsqlite3-0"))
        }
        return library(
            name, version: version(of: "libsqlite3.so.0", by: "sqlite3_libversion"), of: "sqlite",
            atLeast: [3, 37], in: "libsqlite3-0")
    }

    private static var curl: DoctorFinding {
        library(
            "libcurl", version: version(of: "libcurl.so.4", by: "curl_version"), of: "http",
            atLeast: [7, 87], in: "libcurl4")
    }

    /// It does not say its version, only that of its interface.
    private static var wslay: DoctorFinding {
        let version = unsafe call("wslay_event_context_client_init", of: "libwslay.so.1") { _ -> String? in
            "1"
        }
        return library("libwslay", version: version, of: "http", atLeast: [1], in: "libwslay1")
    }

    private static var microhttpd: DoctorFinding {
        library(
            "libmicrohttpd", version: version(of: "libmicrohttpd.so.12", by: "MHD_get_version"), of: "serve",
            atLeast: [0, 9, 75], in: "libmicrohttpd12")
    }

    /// What libmosquitto and libpq need, too.
    private static var openssl: DoctorFinding {
        typealias Version = @convention(c) (CInt) -> UnsafePointer<CChar>
        // Safe because the function has had this type in all versions; it answers `OpenSSL 3.0.17 1 Jul 2025`.
        let version = unsafe call("OpenSSL_version", of: "libssl.so.3") { function -> String? in
            let words = unsafe String(cString: unsafeBitCast(function, to: Version.self)(0))
            return words.split(separator: " ").dropFirst().first.map(String.init)
        }
        return library(
            "OpenSSL", version: version, of: "http", "mqtt", "nats", "postgres", atLeast: [3], in: "libssl3"
        )
    }

    private static var mosquitto: DoctorFinding {
        typealias Version =
            @convention(c) (
                UnsafeMutablePointer<CInt>?, UnsafeMutablePointer<CInt>?, UnsafeMutablePointer<CInt>?
            ) -> CInt
        // Safe because the function has had this type in all versions, and writes through no null pointer.
        let version = unsafe call("mosquitto_lib_version", of: "libmosquitto.so.1") { function -> String? in
            let number = unsafe unsafeBitCast(function, to: Version.self)(nil, nil, nil)
            return "\(number / 1_000_000).\(number / 1000 % 1000).\(number % 1000)"
        }
        return library(
            "libmosquitto", version: version, of: "mqtt", atLeast: [2, 0, 11], in: "libmosquitto1")
    }

    private static var pq: DoctorFinding {
        typealias Version = @convention(c) () -> CInt
        // Safe because the function has had this type in all versions.
        let version = unsafe call("PQlibVersion", of: "libpq.so.5") { function -> String? in
            let number = unsafe unsafeBitCast(function, to: Version.self)()
            return "\(number / 10_000).\(number % 10_000)"
        }
        return library("libpq", version: version, of: "postgres", atLeast: [15], in: "libpq5")
    }

    /// It does not say its version, only that of its interface.
    private static var hiredis: DoctorFinding {
        let version = unsafe call("redisReaderCreate", of: "libhiredis.so.0.14") { _ -> String? in "0.14" }
        return library("hiredis", version: version, of: "redis", atLeast: [0, 14], in: "libhiredis0.14")
    }

    /// A library that the plugins of these names need.
    private static func library(
        _ name: String, version: String?, of plugins: String..., atLeast oldest: [Int], in package: String
    ) -> DoctorFinding {
        let quoted = plugins.map { "`\($0)`" }.joined(separator: ", ")
        let those = plugins.count == 1 ? "the plugin \(quoted) needs" : "the plugins \(quoted) need"
        guard let version else {
            return DoctorFinding(
                name: name, status: .missing, text: "\(those) it",
                remedy: .command("apt install \(package)"))
        }
        guard DoctorTool.isOlder(version, than: oldest) else {
            return DoctorFinding(name: name, status: .ok, text: version)
        }
        let needed = oldest.map(String.init).joined(separator: ".")
        return DoctorFinding(
            name: name, status: .old, text: "`\(version)`; \(those) version \(needed)",
            remedy: .advice("a newer release of the system has it"))
    }

    /// The first word that a library says of its version, such as `libcurl/7.88.1`; nil without it.
    private static func version(of library: String, by name: String) -> String? {
        typealias Version = @convention(c) () -> UnsafePointer<CChar>
        // Safe because functions of these names have had this type in all versions of the libraries.
        return unsafe call(name, of: library) { function -> String? in
            let version = unsafe unsafeBitCast(function, to: Version.self)
            return unsafe String(cString: version()).split(separator: " ").first.map(String.init)
        }
    }

    /// What `body` makes of a function of a library; nil without it. Only the loader knows where it is.
    private static func call(
        _ name: String, of library: String, _ body: (UnsafeMutableRawPointer) -> String?
    ) -> String? {
        // Safe because the names are NUL-terminated copies for the calls.
        guard let library = unsafe dlopen(library, RTLD_LAZY | RTLD_LOCAL) else { return nil }
        // Safe because nothing of the library is used afterwards.
        defer { unsafe dlclose(library) }
        guard let symbol = unsafe dlsym(library, name) else { return nil }
        return unsafe body(symbol)
    }

    private static var inspector: DoctorFinding {
        let name = "Inspector"
        guard let path = InspectorProgram.path else {
            return DoctorFinding(
                name: name, status: .missing, text: "`\(InspectorProgram.name)` serves the page of an app",
                remedy: .advice(InspectorProgram.help.joined(separator: "; or ")))
        }
        return DoctorFinding(name: name, status: .ok, text: path)
    }

    /// What a kernel can keep of the `sandbox` of plugins with `isolation = "process"`.
    static func kernel(_ ability: SandboxAbility) -> [DoctorFinding] {
        // This policy uses everything. Each finding is about one feature, as if the kernel had the others.
        let policy = SandboxPolicy(
            connect: [.tcp(443), .unix], processes: 1, observation: .accesses)
        let newer = DoctorFinding.Remedy.advice(
            "boot Linux 6.12 or newer (apt install -t bookworm-backports linux-image-$(dpkg --print-architecture))"
        )
        func finding(
            _ name: String, _ found: String, isThere: Bool, landlock: Int = 6, hasFilters: Bool = true,
            hasNotifications: Bool = true
        ) -> DoctorFinding {
            let missing = SandboxAbility(
                landlock: landlock, hasFilters: hasFilters, hasNotifications: hasNotifications
            ).missing(for: policy)
            return missing.isEmpty
                ? DoctorFinding(name: name, status: .ok, text: found)
                : DoctorFinding(
                    name: name, status: isThere ? .old : .missing,
                    text: ([found] + missing).joined(separator: "; "), remedy: newer)
        }
        return [
            finding(
                "Landlock", ability.landlock > 0 ? "version \(ability.landlock)" : "not in this kernel",
                isThere: ability.landlock > 0, landlock: ability.landlock),
            finding(
                "Filters of system calls", ability.hasFilters ? "seccomp" : "not in this kernel",
                isThere: ability.hasFilters, hasFilters: ability.hasFilters),
            finding(
                "Filters that ask", ability.hasNotifications ? "seccomp" : "not in this kernel",
                isThere: ability.hasNotifications, hasNotifications: ability.hasNotifications),
        ]
    }
}

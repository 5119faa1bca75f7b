import CLinux
import Glibc
import Journal
import PluginHost
import Sandbox

/// Looks at what spinhost uses on this machine.
enum DoctorCheckup {
    /// All findings, in the order of the report.
    static var findings: [DoctorFinding] {
        [program, folderForCopies] + DoctorTool.all.map(\.finding) + [package, sqlite, curl, inspector]
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

    private static var sqlite: DoctorFinding {
        let name = "SQLite"
        guard let fault = SQLiteLibrary.fault else {
            return DoctorFinding(name: name, status: .ok, text: "libsqlite3.so.0")
        }
        return DoctorFinding(
            name: name, status: .missing, text: "a journal needs it (\(fault))",
            remedy: .command("apt install libsqlite3-0"))
    }

    /// What the plugin `http` needs. Only the loader knows where it is.
    private static var curl: DoctorFinding {
        let (name, oldest) = ("libcurl", [7, 87])
        guard let version = curlVersion else {
            return DoctorFinding(
                name: name, status: .missing, text: "the plugin `http` needs it",
                remedy: .command("apt install libcurl4"))
        }
        guard DoctorTool.isOlder(version, than: oldest) else {
            return DoctorFinding(name: name, status: .ok, text: version)
        }
        return DoctorFinding(
            name: name, status: .old, text: "`\(version)`; the plugin `http` needs version 7.87",
            remedy: .advice("a newer release of the system has it"))
    }

    /// What libcurl says of itself first, such as `libcurl/7.88.1`; nil without it.
    private static var curlVersion: String? {
        // Safe because the names are NUL-terminated copies for the calls.
        guard let library = unsafe dlopen("libcurl.so.4", RTLD_LAZY | RTLD_LOCAL) else { return nil }
        // Safe because nothing of the library is used afterwards.
        defer { unsafe dlclose(library) }
        // Safe because the function of this name has had this type in all versions of the library.
        guard let symbol = unsafe dlsym(library, "curl_version") else { return nil }
        let function = unsafe unsafeBitCast(symbol, to: (@convention(c) () -> UnsafePointer<CChar>).self)
        return unsafe String(cString: function()).split(separator: " ").first.map(String.init)
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

/// A unit of systemd that runs an app.
struct ServiceUnit {
    /// Whose service manager runs it.
    enum Owner {
        /// That of the system. Each service has a user of its own.
        case system
        /// That of the user.
        case user
    }

    /// The first line of each unit. A file without it is not replaced or removed.
    static let mark = "# Written by `spinhost service install`."

    let owner: Owner
    /// The service's name without `spinhost-`.
    let name: String
    /// The absolute path of `spinhost`.
    let program: String
    /// The absolute path of the manifest, and its folder.
    let manifest: String, folder: String
    /// The name of the journal's file, which lies in the service's state folder; nil without a journal.
    let journal: String?

    /// The name of the unit.
    var unit: String { Self.unit(of: name) }

    /// The name of a service's unit.
    static func unit(of name: String) -> String { "spinhost-\(name).service" }

    /// Whether a unit can have this name.
    static func isName(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= 200 && !name.hasPrefix(".")
            && name.utf8.allSatisfy { byte in
                let character = Character(UnicodeScalar(byte))
                return character.isASCII && (character.isLetter || character.isNumber)
                    || "-_.".contains(character)
            }
    }

    /// The content of the unit's file.
    var text: String {
        let state = "spinhost/\(name)"
        var command = [program, "run", "--manifest", manifest, "--control", "--quiet"].map(Self.word)
        if let journal { command += ["--journal", "\"%S/\(state)/\(Self.escaped(journal))\""] }
        return """
            \(Self.mark)
            # Change it with `systemctl \(owner == .user ? "--user " : "")edit \(unit)`: a drop-in stays when it is written again.
            [Unit]
            Description=spinhost app \(Self.specifierFree(name))
            Documentation=man:spinhost(1)
            \(order)
            [Service]
            Type=notify
            ExecStart=\(command.joined(separator: " "))
            ExecReload=kill -HUP $MAINPID
            WorkingDirectory=\(Self.specifierFree(folder))
            StateDirectory=\(state)
            StateDirectoryMode=0700
            # A loop that a call holds for so long: systemd ends the host and starts it again.
            WatchdogSec=30
            Restart=on-failure
            RestartSec=1
            # A wrong command line, or a manifest with faults: another start would not help.
            RestartPreventExitStatus=64 78
            # Effects and plugins have five seconds each to end.
            TimeoutStopSec=20
            \(hardening)
            [Install]
            WantedBy=\(owner == .user ? "default.target" : "multi-user.target")

            """
    }

    private var order: String {
        owner == .user ? "" : "Wants=network-online.target\nAfter=network-online.target\n"
    }

    /// A plugin is native code, so the service gets as little of the system as most plugins need.
    private var hardening: String {
        let everywhere = """

            # What plugins may do. They may make code at run time, so MemoryDenyWriteExecute= is not set.
            NoNewPrivileges=yes
            LockPersonality=yes
            RestrictRealtime=yes
            RestrictSUIDSGID=yes
            SystemCallArchitectures=native
            SystemCallFilter=@system-service
            SystemCallErrorNumber=EPERM
            UMask=0077

            """
        guard owner == .system else { return everywhere }
        let isAtHome = ["/home/", "/root/", "/run/user/"].contains {
            manifest.hasPrefix($0) || program.hasPrefix($0)
        }
        return everywhere + """
            # A user of its own, which lives as long as the service runs.
            DynamicUser=yes
            # The control socket, for programs of that user.
            RuntimeDirectory=spinhost-\(name)/spinhost
            RuntimeDirectoryMode=0700
            Environment="XDG_RUNTIME_DIR=%t/spinhost-\(name)"
            CapabilityBoundingSet=
            AmbientCapabilities=
            PrivateDevices=yes
            PrivateTmp=yes
            ProtectClock=yes
            ProtectControlGroups=yes
            ProtectHome=\(isAtHome ? "read-only" : "yes")
            ProtectHostname=yes
            ProtectKernelLogs=yes
            ProtectKernelModules=yes
            ProtectKernelTunables=yes
            ProtectProc=invisible
            ProtectSystem=strict
            RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
            RestrictNamespaces=yes

            """
    }

    /// A word of a command line, in quotes if it needs them.
    private static func word(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { byte in
            let character = Character(UnicodeScalar(byte))
            return character.isASCII && (character.isLetter || character.isNumber)
                || "/._-+".contains(character)
        }
        return isPlain ? text : "\"\(escaped(text))\""
    }

    /// The inside of quotes in a command line: no escape, specifier or variable is left.
    private static func escaped(_ text: String) -> String {
        specifierFree(
            text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("$", with: "$$"))
    }

    private static func specifierFree(_ text: String) -> String { text.replacing("%", with: "%%") }
}

import ArgumentParser

/// `spinhost service`
struct ServiceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "service", abstract: "Make an app a service of systemd.",
        subcommands: [ServiceInstallCommand.self, ServiceUninstallCommand.self, ServiceShowCommand.self])
}

/// `spinhost service show`
struct ServiceShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Print the unit that `install` would write.")

    @OptionGroup var manifestOptions: ManifestOptions
    @OptionGroup var serviceOptions: ServiceOptions
    @OptionGroup(visibility: .hidden) var runOptions: RunOptions

    func validate() throws { try runOptions.refuse() }

    func run() throws {
        let text = try serviceOptions.unit(of: manifestOptions.manifest).text
        try CommandOutput().line(String(text.dropLast()))
    }
}

/// `spinhost service install`
struct ServiceInstallCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "install", abstract: "Write a unit that runs the app, after you have seen it.",
        discussion: """
            Shows the unit, has `systemd-analyze` verify it where there is one, and asks before it writes the file. It starts \
            nothing: the last lines say how. Run it again after a change of the manifest's name, place or journal.
            """)

    @OptionGroup var manifestOptions: ManifestOptions
    @OptionGroup var serviceOptions: ServiceOptions
    @OptionGroup var consent: ConsentOption
    @OptionGroup(visibility: .hidden) var runOptions: RunOptions

    func validate() throws { try runOptions.refuse() }

    func run() throws {
        let unit = try serviceOptions.unit(of: manifestOptions.manifest)
        let file = UnitFile(serviceOptions, unit.unit)
        try file.refuseOthers()
        let output = try CommandOutput()
        try output.line(String(unit.text.dropLast()))
        guard file.content != unit.text else {
            return ErrorOutput.line("`\(file.path)` has this unit already")
        }
        try verify(unit)
        try consent.ask("\(file.content == nil ? "write" : "replace") `\(file.path)`?")
        try file.write(unit.text)
        let manager = serviceOptions.user ? "systemctl --user" : "systemctl"
        ErrorOutput.write(
            """
            wrote `\(file.path)`; start it with:
              \(manager) daemon-reload
              \(manager) enable --now \(unit.unit)

            """)
    }

    /// Has systemd verify the unit, where it is installed.
    ///
    /// - Throws: an exit code when it finds faults, which it has printed.
    private func verify(_ unit: ServiceUnit) throws {
        let draft = try UnitFile.draft(unit)
        defer { draft.remove() }
        let user = serviceOptions.user ? "--user" : "--system"
        let line = """
            command -v systemd-analyze >/dev/null || exit 0
            export XDG_RUNTIME_DIR="${XDG_RUNTIME_DIR:-/tmp}"
            systemd-analyze verify \(user) --man=no --recursive-errors=no \(ShellWord.quoted(draft.path)) >&2
            """
        guard let process = ShellProcess(line), process.wait() != 0 else { return }
        ErrorOutput.show("systemd refuses the unit; nothing was written", help: [])
        throw ExitStatus.no
    }
}

/// `spinhost service uninstall`
struct ServiceUninstallCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "uninstall", abstract: "Remove the unit of an app, after you have seen it.",
        discussion: "The state folder of the service stays, with its journal.")

    @OptionGroup var manifestOptions: ManifestOptions
    @OptionGroup var serviceOptions: ServiceOptions
    @OptionGroup var consent: ConsentOption
    @OptionGroup(visibility: .hidden) var runOptions: RunOptions

    func validate() throws { try runOptions.refuse() }

    func run() throws {
        let unit =
            try serviceOptions.name.map(ServiceUnit.unit)
            ?? serviceOptions.unit(of: manifestOptions.manifest).unit
        let file = UnitFile(serviceOptions, unit)
        try file.refuseOthers()
        guard let content = file.content else {
            ErrorOutput.show(
                "there is no unit `\(file.path)`", help: ["`--name` and `--user` say which one is meant"])
            throw ExitStatus.no
        }
        try CommandOutput().line(String(content.dropLast()))
        try consent.ask("remove `\(file.path)`?")
        try file.removeOrReport()
        let manager = serviceOptions.user ? "systemctl --user" : "systemctl"
        ErrorOutput.write(
            """
            removed `\(file.path)`; end the service, if it runs, with:
              \(manager) disable --now \(unit)
              \(manager) daemon-reload

            """)
    }
}

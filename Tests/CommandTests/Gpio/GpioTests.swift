import Foundation
import TestSupport
import Testing

/// The plugin `gpio` in the host, without a chip.
@Suite(.timeLimit(.minutes(10))) struct GpioTests {
    @Test func `an app starts without its chip, and says what is missing`() throws {
        let world = try GpioWorld()
        let app = try world.start()
        let reason = "cannot open `\(world.chip)`: No such file or directory"
        #expect(app.nextLine() == "closed: \(reason)")
        try app.write("lamp")
        #expect(app.nextLine() == "-1 \(reason)")
        try app.write("button")
        #expect(app.nextLine() == "-5 the line `button` is not in the setting `outputs`")
        app.endInOrder()
    }

    @Test func `a call needs lines`() throws {
        let world = try GpioWorld()
        let app = try world.start(lines: "[]")
        #expect(app.nextLine() == "-5 a call of `edges` has 1 to 64 lines")
        app.endInOrder()
    }

    @Test(
        arguments: [
            ("chip = ''", "setting `chip`: it is not a path, a name or a label"),
            ("chip = '/dev/null'", "setting `chip`: `/dev/null` is not a GPIO chip"),
            ("outputs = ['a', 'a']", "setting `outputs`: it has `a` twice"),
            ("initially_active = ['a']", "setting `initially_active`: `a` is not in `outputs`"),
            ("bias = 'up'", "setting `bias`: it is not `as-is`, `pull-up`, `pull-down` or `disabled`"),
            ("drive = 'up'", "setting `drive`: it is not `push-pull`, `open-drain` or `open-source`"),
        ], PluginMode.allCases)
    func `a setting that does not fit ends the app before it begins`(
        _ setting: (String, String), _ mode: PluginMode
    ) throws {
        let (config, reason) = setting
        let world = try GpioWorld(mode)
        let end = try world.start(config).end()
        withExtendedLifetime(world) {}
        #expect(end.status == 69)
        #expect(end.errors.contains(reason), "\(end.errors)")
    }

    @Test func `a swap begins the call again`() throws {
        let world = try GpioWorld()
        try FileManager.default.copyItem(at: GpioWorld.library, to: world.folder.url("gpio.so"))
        try world.folder.write("app.toml", world.manifest(library: "./gpio.so"))
        let host = try ControlledHost(in: world.folder, ["--quiet"])
        let closed = "closed: cannot open `\(world.chip)`: No such file or directory"
        #expect(host.program.nextLine() == closed)
        try host.swapChanged("board", "gpio.so")
        #expect(host.program.nextLine() == closed)
        host.program.endInOrder()
    }
}

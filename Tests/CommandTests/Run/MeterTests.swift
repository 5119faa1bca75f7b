import Foundation
import Glibc
import TestSupport
import Testing

/// `examples/meter` on a pseudo-terminal, whose other side the test plays.
@Suite(.timeLimit(.minutes(10))) struct MeterTests {
    /// The device's side of a pseudo-terminal.
    private struct Device {
        let descriptor: Int32
        let path: String

        init() throws {
            var (own, other) = (Int32(-1), Int32(-1))
            var name = [CChar](repeating: 0, count: 128)
            // Safe because there is room for both descriptors and for the name.
            try #require(unsafe openpty(&own, &other, &name, nil, nil) == 0)
            descriptor = own
            path = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
            // Until the app opens it, the other side must stay open.
            keptOpen = other
        }

        private let keptOpen: Int32

        /// From now on only the app has the other side.
        func letGo() { close(keptOpen) }

        // Safe because the text is borrowed for the call.
        func send(_ text: String) { _ = unsafe Glibc.write(descriptor, text, text.utf8.count) }

        /// The next `count` bytes of the app.
        func received(_ count: Int) -> String {
            var bytes: [UInt8] = []
            while bytes.count < count {
                var byte: UInt8 = 0
                // Safe because there is room for one.
                guard unsafe read(descriptor, &byte, 1) == 1 else { break }
                bytes.append(byte)
            }
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    private func app(_ device: String, _ folder: TemporaryFolder) throws -> RunningProgram {
        let text = try String(contentsOfFile: Spinhost.example("meter"), encoding: .utf8)
            .replacing("/dev/ttyUSB0", with: device)
            .replacing("../../build", with: Project.root.appendingPathComponent("build").path)
        return try RunningProgram(["--manifest", try folder.write("app.toml", text)])
    }

    @Test func `the app answers what the device sends, and ends when it is gone`() throws {
        let (device, folder) = (try Device(), try TemporaryFolder())
        let app = try app(device.path, folder)
        #expect(device.received(9) == "pump off\n")
        device.letGo()
        device.send("12.5\n85")
        device.send(".5\r\nnonsense\n")
        #expect(device.received(8) == "pump on\n")
        device.send("70\n59\n")
        #expect(device.received(9) == "pump off\n")
        close(device.descriptor)
        let end = app.end()
        #expect(end.status == 0, "\(end.errors)")
        #expect(end.errors.hasPrefix("done: 5 steps"), "\(end.errors)")
    }

    @Test func `without the device the app does not begin`() throws {
        let folder = try TemporaryFolder()
        let end = try app("/nowhere/tty", folder).end()
        #expect(end.status == 69)
        #expect(
            end.errors.contains("`line` could not be started: No such file or directory"), "\(end.errors)")
    }
}

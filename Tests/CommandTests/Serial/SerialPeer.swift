import Foundation
import Glibc
import TestSupport
import Testing

/// A pseudo-terminal that is plugged in as a port. The test is the device at its other side.
final class SerialPeer: Sendable {
    private let descriptor: Int32
    /// The side of the port, which the test keeps open so that it can be locked and looked at.
    private let port: Int32

    /// - Parameter link: the path that leads to the port from now on.
    init(at link: URL) throws {
        var (own, other) = (Int32(-1), Int32(-1))
        var name = [CChar](repeating: 0, count: 128)
        // Safe because there is room for both descriptors and for the name.
        try #require(unsafe openpty(&own, &other, &name, nil, nil) == 0)
        (descriptor, port) = (own, other)
        // Programs that the test starts must not keep it open.
        _ = (fcntl(own, F_SETFD, FD_CLOEXEC), fcntl(other, F_SETFD, FD_CLOEXEC))
        let path = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
        try? FileManager.default.removeItem(at: link)
        try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: path)
    }

    /// The device goes.
    deinit {
        close(port)
        close(descriptor)
    }

    func send(_ text: String) { send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) {
        var sent = 0
        while sent < bytes.count {
            // Safe because the bytes are borrowed for the call.
            let count = unsafe bytes[sent...].withUnsafeBytes {
                unsafe write(descriptor, $0.baseAddress, $0.count)
            }
            guard count > 0 else { break }
            sent += count
        }
        #expect(sent == bytes.count)
    }

    /// The next bytes of the app.
    func received(_ count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var received = 0
        while received < count {
            // Safe because the rest of the array has room for so many bytes.
            let more = unsafe bytes.withUnsafeMutableBytes {
                unsafe read(descriptor, $0.baseAddress! + received, count - received)
            }
            guard more > 0 else { break }
            received += more
        }
        return Array(bytes[..<received])
    }

    func receivedText(_ count: Int) -> String { String(decoding: received(count), as: UTF8.self) }

    /// The settings of the port.
    var settings: termios {
        var settings = termios()
        // Safe because the call writes the settings only.
        #expect(unsafe tcgetattr(port, &settings) == 0)
        return settings
    }

    /// Locks the port, or gives up the lock.
    func lock(_ isLocked: Bool) { #expect(flock(port, isLocked ? LOCK_EX | LOCK_NB : LOCK_UN) == 0) }
}

import Foundation
import Glibc
import TestSupport

/// A program that runs at a terminal of its own: what it draws is read, and keys are typed.
final class TerminalProgram {
    private let process = Process()
    private let terminal: PseudoTerminal
    private var shown = ""
    private let deadline = ContinuousClock.now + .seconds(300)

    /// Starts `spinhost` in a session whose terminal this is.
    init(
        _ arguments: [String], in folder: URL, columns: UInt16 = 80, rows: UInt16 = 24,
        environment: [String: String] = [:]
    ) throws {
        terminal = try PseudoTerminal()
        terminal.resize(columns: columns, rows: rows)
        process.executableURL = URL(fileURLWithPath: "/usr/bin/setsid")
        process.arguments = ["--ctty", "--wait", Project.spinhost] + arguments
        process.currentDirectoryURL = folder
        process.environment = ProcessInfo.processInfo.environment.merging([
            "XDG_RUNTIME_DIR": folder.path, "NO_COLOR": "1",
        ]) { $1 }
        .merging(environment) { $1 }
        process.standardInput = terminal.program
        process.standardOutput = terminal.program
        process.standardError = terminal.program
        try process.runWithSignals()
    }

    deinit {
        if let identifier { kill(identifier, SIGKILL) }
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    /// The process of `spinhost`; nil before it runs.
    var identifier: Int32? { process.children.first }

    /// All that was drawn so far.
    var drawn: String {
        shown += terminal.output()
        return shown
    }

    /// What was drawn last, without the sequences that move the cursor.
    var screen: [String] {
        let last = drawn.components(separatedBy: "\u{1B}[H").last ?? ""
        return last.replacing("\u{1B}[K", with: "").replacing("\u{1B}[J", with: "")
            .components(separatedBy: "\r\n")
    }

    /// Waits until the program has drawn what is wanted; false if it ends before, or takes too long.
    func waits(until isDrawn: (TerminalProgram) -> Bool) -> Bool {
        while true {
            let isRunning = process.isRunning
            if isDrawn(self) { return true }
            guard isRunning, ContinuousClock.now < deadline else { return false }
            usleep(1000)
        }
    }

    /// Types keys.
    func type(_ keys: String) throws { try terminal.press(keys) }

    /// Changes the size of the terminal.
    func resize(columns: UInt16, rows: UInt16) { terminal.resize(columns: columns, rows: rows) }

    /// Whether the terminal shows lines as they are typed, as it does for a shell.
    var isOrdinary: Bool { terminal.isOrdinary }

    /// Waits for the end of the program.
    func end() -> Int32 {
        _ = waits { program in
            // A full terminal would hold up the program.
            _ = program.drawn
            return false
        }
        process.waitUntilExit()
        return process.terminationStatus
    }
}

extension PseudoTerminal {
    /// Changes the size of the window.
    func resize(columns: UInt16, rows: UInt16) {
        var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        // Safe because the call reads the structure only.
        unsafe _ = ioctl(keyboard.fileDescriptor, UInt(TIOCSWINSZ), &size)
    }

    /// Types keys as they are.
    func press(_ keys: String) throws { try keyboard.write(contentsOf: Data(keys.utf8)) }

    /// What the program has written since the last call. It does not wait.
    func output() -> String {
        var request = pollfd(fd: keyboard.fileDescriptor, events: Int16(POLLIN), revents: 0)
        var bytes: [UInt8] = []
        // Safe because the request and the buffer live for the calls, which get their sizes.
        while unsafe poll(&request, 1, 0) > 0, request.revents & Int16(POLLIN) != 0 {
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            let count = unsafe read(keyboard.fileDescriptor, &buffer, buffer.count)
            guard count > 0 else { break }
            bytes += buffer.prefix(count)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Whether the terminal shows lines as they are typed.
    var isOrdinary: Bool {
        var settings = termios()
        // Safe because the structure lives for the call.
        guard unsafe tcgetattr(keyboard.fileDescriptor, &settings) == 0 else { return false }
        let flags = tcflag_t(ICANON | ECHO)
        return settings.c_lflag & flags == flags
    }
}

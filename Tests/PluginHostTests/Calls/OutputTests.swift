import Dispatch
import Foundation
import PluginHost
import Testing

/// Who writes where. Descriptor 1 is the whole process's, so these tests run one after the other.
@Suite(.serialized) struct OutputTests {
    @Test func `printed text of a plugin does not get into the data`() throws {
        let image = try TestHost().open("prints.c")
        let (data, errors) = (Pipe(), Pipe())
        // Descriptor 1 is the whole process's: nothing here waits while it is diverted.
        let before = dup(1)
        dup2(data.fileHandleForWriting.fileDescriptor, 1)
        let written = Result {
            let output = try StandardOutput.take(diverting: errors.fileHandleForWriting.fileDescriptor)
            _ = try call(image, "int32_t print_noise(void)")
            try output.writeLine("{\"line\":1}")
            try output.writeLine("größer")
        }
        dup2(before, 1)
        close(before)
        try data.fileHandleForWriting.close()
        try errors.fileHandleForWriting.close()
        try written.get()
        #expect(
            String(decoding: data.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
                == "{\"line\":1}\ngrößer\n")
        let noise = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        #expect(noise.contains("noise of a plugin\n"))
    }

    /// An output whose reader is the end of a pipe.
    private func output(to data: Pipe) throws -> StandardOutput {
        let before = dup(1)
        dup2(data.fileHandleForWriting.fileDescriptor, 1)
        let taken = Result { try StandardOutput.take() }
        dup2(before, 1)
        close(before)
        try data.fileHandleForWriting.close()
        return try taken.get()
    }

    @Test func `lines that wait are written in order, together or after a while`() throws {
        let data = Pipe()
        let output = try output(to: data)
        let failed: @Sendable (PluginError) -> Void = { Issue.record("\($0)") }
        func read(_ count: Int) -> String {
            var bytes = Data()
            while bytes.count < count { bytes += data.fileHandleForReading.availableData }
            return String(decoding: bytes, as: UTF8.self)
        }
        try output.addLine(Array("one".utf8), failed: failed)
        try output.addLine(Array("two".utf8), failed: failed)
        try output.writeLine("three")
        #expect(read(14) == "one\ntwo\nthree\n")
        try output.addLine(Array("four".utf8), failed: failed)
        #expect(read(5) == "four\n")
        try output.addLine(Array("five".utf8), failed: failed)
        output.flush(within: .seconds(10))
        #expect(read(5) == "five\n")
        // Many bytes do not wait, so they fill the pipe, and the writer waits for the reader.
        let writer = Thread {
            for _ in 0..<1000 { try? output.addLine(Array(repeating: 0x61, count: 999), failed: failed) }
            try? output.flush()
        }
        writer.start()
        #expect(read(1_000_000).allSatisfy { $0 == "a" || $0 == "\n" })
    }

    @Test func `a reader that does not read, or has gone, holds up no end`() async throws {
        signal(SIGPIPE, SIG_IGN)
        let (data, reasons) = (Pipe(), AsyncStream<PluginError>.makeStream())
        let output = try output(to: data)
        let writer = Thread {
            for _ in 0..<200 {
                do throws(PluginError) {
                    try output.addLine(Array(repeating: 0x61, count: 999)) { reasons.continuation.yield($0) }
                } catch { reasons.continuation.yield(error) }
            }
        }
        writer.start()
        output.flush(within: .milliseconds(1))
        try data.fileHandleForReading.close()
        let reason = await reasons.stream.first { _ in true }
        #expect(reason?.code == .outputClosed)
    }

    @Test func `a closed reader is an error and does not end the host`() throws {
        signal(SIGPIPE, SIG_IGN)
        let data = Pipe()
        let output = try output(to: data)
        try data.fileHandleForReading.close()
        let error = #expect(throws: PluginError.self) { try output.writeLine("into the void") }
        #expect(error?.code == .outputClosed)
        #expect(error?.message == "the reader of the output has gone")
        // Nothing is written later, whatever happens to the descriptor.
        #expect(throws: PluginError.self) { try output.flush() }
    }

    @Test func `a reader that has gone ends the run with the first line that waits`() throws {
        signal(SIGPIPE, SIG_IGN)
        let data = Pipe()
        let output = try output(to: data)
        try data.fileHandleForReading.close()
        let error = #expect(throws: PluginError.self) {
            try output.addLine(Array("into the void".utf8)) { _ in }
        }
        #expect(error?.code == .outputClosed)
    }
}

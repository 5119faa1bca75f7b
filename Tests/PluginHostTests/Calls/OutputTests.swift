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

    @Test func `a closed reader is an error and does not end the host`() throws {
        signal(SIGPIPE, SIG_IGN)
        let (data, errors) = (Pipe(), Pipe())
        let before = dup(1)
        dup2(data.fileHandleForWriting.fileDescriptor, 1)
        let taken = Result { try StandardOutput.take(diverting: errors.fileHandleForWriting.fileDescriptor) }
        dup2(before, 1)
        close(before)
        try data.fileHandleForReading.close()
        let output = try taken.get()
        let error = #expect(throws: PluginError.self) { try output.writeLine("into the void") }
        #expect(error?.code == .outputClosed)
        #expect(error?.message == "the reader of the output has gone")
    }
}

import Diagnostics
import Foundation
import Interfaces
import TestSupport
import Testing

struct ELFFileTests {
    private static let source = """
        #include <math.h>
        int counter;
        static int hidden(void) { return 1; }
        __attribute__((visibility("hidden"))) int internal(void) { return hidden(); }
        __attribute__((weak)) int weak(void) { return internal(); }
        double levels_root(double x) { return sqrt(x) + counter++; }
        """

    private func library(_ folder: TemporaryFolder, flags: [String] = []) throws -> String {
        try CCompiler().sharedObject(
            Self.source, in: folder, as: "levels.so",
            flags: ["-fno-builtin", "-Wl,--no-as-needed", "-lm"] + flags)
    }

    private func bytes(_ path: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    }

    private func file(_ folder: TemporaryFolder, _ bytes: [UInt8], as name: String = "changed.so") throws
        -> String
    {
        try Data(bytes).write(to: folder.url(name))
        return folder.url(name).path
    }

    private func refusal(of path: String, sourceLocation: SourceLocation = #_sourceLocation)
        -> InterfaceError?
    {
        #expect(throws: InterfaceError.self, sourceLocation: sourceLocation) { try ELFFile(path: path) }
    }

    // MARK: What a library tells

    @Test(arguments: ["gnu", "sysv"])
    func facts_areThoseOfTheLinker(hash: String) throws {
        let folder = try TemporaryFolder()
        let found = try ELFFile(
            path: try library(folder, flags: ["-Wl,--hash-style=\(hash)", "-Wl,-soname,liblevels.so.1"]))
        #expect(found.machine == .host)
        #expect(found.soname == "liblevels.so.1")
        #expect(found.needed == ["libm.so.6", "libc.so.6"])
        for name in ["levels_root", "weak", "counter"] { #expect(found.defines(name)) }
        for name in ["sqrt", "hidden", "internal", "levels", "levels_root2", "", "levels_root\0x"] {
            #expect(!found.defines(name))
        }
        #expect(Set(found.definedSymbols).isSuperset(of: ["levels_root", "weak", "counter"]))
        #expect(!found.containsSwift && !found.hasExecutableStack)
        #expect(found.uniqueSymbols == [])
    }

    @Test(arguments: ["--enable-new-dtags", "--disable-new-dtags"])
    func searchPath_isThatOfTheLinker(kind: String) throws {
        let folder = try TemporaryFolder()
        let path = try library(folder, flags: ["-Wl,\(kind)", "-Wl,-rpath,$ORIGIN/lib:/opt/lib"])
        #expect(try ELFFile(path: path).searchPath == ["$ORIGIN/lib", "/opt/lib"])
        #expect(try ELFFile(path: library(folder)).searchPath == [])
    }

    @Test func executableStack_isSeen() throws {
        let folder = try TemporaryFolder()
        #expect(try ELFFile(path: try library(folder, flags: ["-z", "execstack"])).hasExecutableStack)
    }

    @Test func uniqueSymbols_areSeen() throws {
        let folder = try TemporaryFolder()
        let source =
            "template<int N> struct T { static int value; }; template<int N> int T<N>::value = N; int f() { return T<3>::value++; }"
        let path = try CCompiler("c++").sharedObject(source, in: folder, as: "unique.so")
        #expect(try ELFFile(path: path).uniqueSymbols == ["_ZN1TILi3EE5valueE"])
        let plain = try CCompiler("c++").sharedObject(
            source, in: folder, as: "plain.so", flags: ["-fno-gnu-unique"])
        #expect(try ELFFile(path: plain).uniqueSymbols == [])
    }

    @Test func swiftCode_isSeenBySections() throws {
        let folder = try TemporaryFolder()
        let source =
            "__attribute__((section(\"swift5_protocols\"), used)) static const int record = 1; int f(void) { return 1; }"
        #expect(try ELFFile(path: try CCompiler().sharedObject(source, in: folder, as: "s.so")).containsSwift)
    }

    @Test func librariesOfTheSystem_areAccepted() throws {
        let list = try Shell.run("ldd", ["/usr/bin/env"]).output + Shell.run("ldd", ["/proc/self/exe"]).output
        let paths = Set(
            list.split(separator: "\n").compactMap { line in
                line.split(separator: " ").first { $0.hasPrefix("/") }.map(String.init)
            })
        #expect(!paths.isEmpty)
        for path in paths {
            let found = try ELFFile(path: path)
            #expect(!found.definedSymbols.isEmpty)
            if path.contains("libc.so") { #expect(found.defines("getloadavg") && found.defines("statvfs")) }
        }
    }

    @Test func openDescriptor_isReadAndStaysOpen() throws {
        let folder = try TemporaryFolder()
        let handle = try #require(FileHandle(forReadingAtPath: try library(folder)))
        #expect(try ELFFile(descriptor: handle.fileDescriptor, path: "levels.so").defines("levels_root"))
        #expect(try handle.read(upToCount: 4) == Data("\u{7F}ELF".utf8))
        #expect(throws: InterfaceError.self) { try ELFFile(descriptor: -1, path: "levels.so") }
    }

    // MARK: What is no library

    @Test func everythingElse_isRefusedWithItsReason() throws {
        let folder = try TemporaryFolder()
        let good = try bytes(try library(folder))
        func patched(_ changes: [Int: UInt8]) -> [UInt8] {
            var bytes = good
            for (place, value) in changes { bytes[place] = value }
            return bytes
        }
        let object = try folder.write("object.c", Self.source)
        _ = try Shell.run("cc", ["-c", "-fPIC", "-o", folder.url("object.so").path, object])
        _ = try Shell.run("ar", ["rc", folder.url("archive.so").path, folder.url("object.so").path])
        _ = try folder.write("program.c", "int main(void) { return 0; }")
        _ = try Shell.run("cc", ["-no-pie", "-o", folder.url("fixed.so").path, folder.url("program.c").path])
        _ = try Shell.run(
            "cc", ["-pie", "-fPIE", "-o", folder.url("program.so").path, folder.url("program.c").path])
        _ = try Shell.run(
            "objcopy", ["--only-keep-debug", folder.url("levels.so").path, folder.url("debug.so").path])
        try folder.write("text.so", "hello\n")
        try folder.write("script.so", "/* GNU ld script */\nGROUP ( libc.so.6 )\n")
        try folder.write("empty.so", "")
        try folder.write("letter.so", "\u{7F}EL")
        try FileManager.default.createDirectory(
            at: folder.url("folder.so"), withIntermediateDirectories: true)
        _ = try Shell.run("mkfifo", [folder.url("pipe.so").path])
        try FileManager.default.createSymbolicLink(
            at: folder.url("dangling.so"), withDestinationURL: folder.url("nowhere"))
        let (other, name): (UInt8, String) = ELFMachine.host == .x86_64 ? (183, "aarch64") : (62, "x86-64")
        _ = try file(folder, patched([18: other]), as: "machine.so")
        _ = try file(folder, patched([4: 1]), as: "narrow.so")
        _ = try file(folder, patched([5: 2]), as: "big.so")
        _ = try file(folder, patched([7: 9]), as: "freebsd.so")
        _ = try file(folder, patched([16: 4]), as: "core.so")
        _ = try file(folder, patched([6: 3]), as: "version.so")
        _ = try file(folder, Array(good.prefix(40)), as: "header.so")
        _ = try file(folder, patched([56: 0]), as: "segments.so")

        var text = ""
        for name in [
            "missing.so", "text.so/inside.so", "dangling.so", "folder.so", "pipe.so", "empty.so", "text.so",
            "script.so",
            "archive.so", "object.so", "fixed.so", "program.so", "core.so", "machine.so", "narrow.so",
            "big.so",
            "freebsd.so", "version.so", "letter.so", "header.so", "segments.so", "debug.so",
        ] {
            let error = try #require(refusal(of: folder.url(name).path), "\(name)")
            text += "error[\(error.code.rawValue)]: \(error.message)\n"
            for line in error.help { text += "  help: \(line)\n" }
        }
        let device = try #require(refusal(of: "/dev/null"))
        text += "error[\(device.code.rawValue)]: \(device.message)\n"
        text = text.replacingOccurrences(of: folder.root.path + "/", with: "")
        // The expected text is that of x86-64.
        text = text.replacingOccurrences(of: name, with: "OTHER")
            .replacingOccurrences(of: ELFMachine.host.description, with: "HOST")
        try ExpectedText(name: "library-files.txt").check(text)
    }

    @Test func unreadableFile_isRefusedWithItsReason() throws {
        // The superuser reads everything.
        guard getuid() != 0 else { return }
        let folder = try TemporaryFolder()
        let path = try library(folder)
        try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: path)
        #expect(refusal(of: path)?.code == .fileUnreadable)
    }

    // MARK: Files that end too early

    @Test func libraryCutAnywhere_isRefused() throws {
        let folder = try TemporaryFolder()
        let good = try bytes(try library(folder))
        var ends = Set(stride(from: 0, to: good.count, by: 512))
        ends.formUnion((0...130).filter { $0 < good.count })
        ends.formUnion((good.count - 130)..<good.count)
        for end in ends.sorted() {
            let path = try file(folder, Array(good.prefix(end)), as: "cut.so")
            let found = try #require(refusal(of: path), "cut at \(end)")
            #expect([.fileTruncated, .fileEmpty].contains(found.code), "cut at \(end): \(found.message)")
        }
    }

    /// Without a table of sections at its end a library may lose what is not loaded. Whatever is accepted must survive
    /// `dlopen`, which happens in another process.
    @Test func libraryWithoutSections_isRefusedWhereverDlopenWouldDie() throws {
        let folder = try TemporaryFolder()
        var good = try bytes(try library(folder))
        for place in Array(40..<48) + Array(60..<64) { good[place] = 0 }
        let path = try file(folder, good)
        #expect(try ELFFile(path: path).defines("levels_root"))
        _ = try folder.write(
            "open.c",
            "#include <dlfcn.h>\n#include <stdio.h>\nint main(int argc, char **argv) { for (int i = 1; i < argc; i++) { puts(argv[i]); fflush(stdout); if (!dlopen(argv[i], RTLD_NOW)) return 3; } return 0; }\n"
        )
        let built = try Shell.run("cc", ["-o", folder.url("open").path, folder.url("open.c").path, "-ldl"])
        #expect(built.errors == "")
        var accepted: [String] = []
        for end in stride(from: 0, to: good.count, by: 97) {
            let path = try file(folder, Array(good.prefix(end)), as: "cut\(end).so")
            do { accepted.append(try ELFFile(path: path).path) } catch {
                #expect([.fileTruncated, .fileEmpty].contains(error.code), "cut at \(end): \(error.message)")
            }
        }
        #expect(!accepted.isEmpty)
        let outcome = try Shell.run(folder.url("open").path, accepted)
        #expect(outcome.status == 0, "\(outcome.output.split(separator: "\n").last ?? "")")
    }

    // MARK: Noise

    @Test(arguments: 0..<4 as Range<UInt64>)
    func flippedBytes_neitherCrashNorHang(seed: UInt64) throws {
        let folder = try TemporaryFolder()
        let good = try bytes(try library(folder, flags: seed % 2 == 0 ? [] : ["-Wl,--hash-style=sysv"]))
        var random = SeededGenerator(seed: seed)
        var accepted = 0
        for round in 0..<600 {
            var bytes = good
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                // Headers and tables rather than code.
                let place = Int.random(
                    in: 0..<(round % 3 == 0 ? good.count : min(good.count, 1400)), using: &random)
                bytes[place] = round % 2 == 0 ? 0xFF : UInt8.random(in: 0...255, using: &random)
            }
            do {
                let found = try ELFFile(path: try file(folder, bytes))
                _ = try PluginDescription.read(from: found)
                _ = found.defines("levels_root")
                accepted += 1
            } catch let error as InterfaceError {
                #expect(!error.message.isEmpty)
            }
        }
        #expect(accepted < 600)
    }

    @Test func hugeClaims_areRefusedWithoutReadingThem() throws {
        let folder = try TemporaryFolder()
        let path = try library(folder)
        // A sparse file: any offset lies inside.
        let handle = try #require(FileHandle(forWritingAtPath: path))
        try handle.truncate(atOffset: 1 << 40)
        var random = SeededGenerator(seed: 7)
        let original = try #require(try FileHandle(forReadingAtPath: path)?.read(upToCount: 1024))
        for _ in 0..<200 {
            var head = original
            for _ in 0..<3 {
                head[Int.random(in: 32..<1024, using: &random)] = UInt8.random(in: 0...64, using: &random)
            }
            try handle.seek(toOffset: 0)
            try handle.write(contentsOf: head)
            do { _ = try ELFFile(path: path) } catch {
                #expect(!error.message.isEmpty)
            }
        }
    }
}

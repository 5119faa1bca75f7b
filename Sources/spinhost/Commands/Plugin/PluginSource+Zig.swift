extension PluginSource {
    static let zig = #"""
        //! The effects of this plugin. Their results become events, which the reducer in app.toml handles.

        const std = @import("std");
        const spin = @import("spinhost");

        comptime {
            spin.plugin("NAME", "0.1.0", .{
                spin.effect("count", &.{"text"}, count, "The number of words in `text`."),
                spin.effect("split", &.{ "call", "text" }, split, "Emits `word` for each word of `text`."),
                word,
            });
        }

        const word = spin.Emitter("word", extern struct { text: spin.c.spin_string });

        // A panic ends the process, and the host reports where.
        pub const panic = spin.panic;

        fn words(text: spin.c.spin_string) std.mem.TokenIterator(u8, .scalar) {
            return std.mem.tokenizeScalar(u8, spin.slice(text), ' ');
        }

        // This effect returns its result.
        fn count(text: spin.c.spin_string) callconv(.c) i64 {
            var number: i64 = 0;
            var parts = words(text);
            while (parts.next()) |_| number += 1;
            return number;
        }

        // This effect emits results until it finishes. It may emit from any thread, and any number of times.
        fn split(call: spin.Call, text: spin.c.spin_string) callconv(.c) void {
            var parts = words(text);
            while (parts.next()) |part| {
                // Another result means that the call was cancelled, or that the loop is full.
                if (word.emit(call, .{ .text = spin.string(part) }) != spin.c.SPIN_OK) return;
            }
            _ = spin.c.spin_finish(call);
        }

        """#

    /// The host reads the notes in a section of the library, which only Zig's backend with LLVM can write.
    static let zigBuild = #"""
        //! `zig build` makes NAME.so. CMakeLists.txt calls it, and tells it where spinhost is.

        const std = @import("std");

        pub fn build(b: *std.Build) void {
            const target = b.standardTargetOptions(.{});
            const optimize = b.standardOptimizeOption(.{ .preferred_optimize_mode = .safe });
            const prefix = b.option([]const u8, "spinhost", "The folder where spinhost is installed (default: /usr)");
            const host: std.Build.LazyPath = .{ .cwd_relative = prefix orelse "/usr" };

            // The header and the module come with the host.
            const header = b.addTranslateC(.{
                .root_source_file = host.path(b, "include/spinhost/plugin.h"),
                .target = target,
                .optimize = optimize,
            });
            // Zig looks there last: the folder may have headers of the C library, which do not fit another target.
            header.addAfterIncludePath(host.path(b, "include"));
            const spinhost = b.createModule(.{
                .root_source_file = host.path(b, "share/spinhost/zig/spinhost.zig"),
                .imports = &.{.{ .name = "c", .module = header.createModule() }},
            });

            const plugin = b.addLibrary(.{
                .name = "NAME",
                .linkage = .dynamic,
                .use_llvm = true, // Zig's other backend cannot write the notes of a plugin
                .root_module = b.createModule(.{
                    .root_source_file = b.path("plugin.zig"),
                    .target = target,
                    .optimize = optimize,
                    .link_libc = true,
                    .imports = &.{.{ .name = "spinhost", .module = spinhost }},
                }),
            });
            const file = b.addInstallFile(plugin.getEmittedBin(), "NAME.so");
            b.getInstallStep().dependOn(&file.step);
        }

        """#
}

//! A plugin in Zig with what `bindings/zig` offers. `ZigPluginTests` build and run it.

const std = @import("std");
const spin = @import("spinhost");
const c = spin.c;

comptime {
    spin.plugin("tally", "1.0.0", .{
        spin.config(Settings),
        spin.instance(Tally),
        spin.life(Tally),
        spin.swap(Tally, 2),
        word,
        spin.effect("count", &.{"text"}, count, "The number of words in `text`."),
        spin.effect("split", &.{ "call", "text" }, split, "Emits `word` for each word."),
        spin.effect("add", &.{ "tally", "number" }, Tally.add, "The sum so far, of steps."),
        spin.checkedEffect("half", &.{"number"}, half, "Half of `number`.", "result < 0"),
        spin.effect("later", &.{"since"}, later, "A second later."),
        spin.effect("expect", &.{"number"}, expect, "The number. Panics for 1,000."),
    });
}

pub const panic = spin.panic;

const Settings = extern struct {
    label: c.spin_string = spin.string("a \"sum\""),
    step: i32 = 1,
    factor: f64 = 0.5,
    works: bool = true,

    pub const docs = .{
        .label = "What is counted.",
        .step = "How far each count goes.",
        .factor = "What a sum is worth.",
        .works = "Whether it can be made.",
    };
    pub const ranges = .{ .step = .{ -1000, 1000 } };
};

const word = spin.Emitter("word", extern struct { text: c.spin_string, index: u32 });

/// An instance: a sum of numbers.
const Tally = struct {
    settings: *const Settings,
    sum: i64,

    pub fn create(call: spin.Call, settings: *const Settings) callconv(.c) ?*Tally {
        if (!settings.works) {
            _ = c.spin_fail(call, c.SPIN_FAILED, "it does not work");
            return null;
        }
        const tally = std.heap.c_allocator.create(Tally) catch return null;
        tally.* = .{ .settings = settings, .sum = 0 };
        return tally;
    }

    pub fn destroy(tally: *Tally) callconv(.c) void {
        std.heap.c_allocator.destroy(tally);
    }

    pub fn start(_: spin.Call, tally: *Tally) callconv(.c) c.spin_status {
        return c.spin_print(tally.settings.label.data);
    }

    pub fn stop(_: *Tally) callconv(.c) void {
        _ = c.spin_print("stop");
    }

    pub fn save(_: spin.Call, tally: *Tally, saving: *c.spin_saving) callconv(.c) c.spin_status {
        return c.spin_write(saving, &tally.sum, @sizeOf(i64));
    }

    pub fn restore(call: spin.Call, tally: *Tally, saved: *const c.spin_saved) callconv(.c) c.spin_status {
        if (saved.schema != 2 or saved.data_size != @sizeOf(i64)) {
            return c.spin_fail(call, c.SPIN_BAD_VALUE, "it is no sum");
        }
        tally.sum = std.mem.bytesToValue(i64, saved.data[0..@sizeOf(i64)]);
        return c.SPIN_OK;
    }

    fn add(tally: *Tally, number: i64) callconv(.c) i64 {
        tally.sum +%= number *% tally.settings.step;
        return tally.sum;
    }
};

fn words(text: c.spin_string) std.mem.TokenIterator(u8, .scalar) {
    return std.mem.tokenizeScalar(u8, spin.slice(text), ' ');
}

fn count(text: c.spin_string) callconv(.c) u64 {
    var all = words(text);
    var number: u64 = 0;
    while (all.next()) |_| number += 1;
    return number;
}

fn split(call: spin.Call, text: c.spin_string) callconv(.c) void {
    var all = words(text);
    var index: u32 = 0;
    while (all.next()) |part| : (index += 1) {
        if (word.emit(call, .{ .text = spin.string(part), .index = index }) != c.SPIN_OK) return;
    }
    _ = c.spin_finish(call);
}

fn half(number: i32) callconv(.c) i32 {
    return @divTrunc(number, 2);
}

fn later(since: spin.Timestamp) callconv(.c) spin.Timestamp {
    return @fromBackingInt(@intCast(@backingInt(since) +| 1_000_000_000));
}

fn expect(number: u32) callconv(.c) u32 {
    if (number == 1000) @panic("1000 is too much");
    return number;
}

//! Plugins for spinhost in Zig 0.17, on ABI 2.0. The module `c` is the header, as `zig translate-c` writes
//! it. The header is the contract: threads, ownership and errors are as its comments say. This file fills the
//! plugin's table and writes its notes when the plugin is compiled.
//!
//!     const spin = @import("spinhost");
//!
//!     fn step(from: i64, to: i64) callconv(.c) i64 {
//!         return if (from < to) from + 1 else from - 1;
//!     }
//!
//!     comptime {
//!         spin.plugin("levels", "1.0.0", .{
//!             spin.effect("step", &.{ "from", "to" }, step, "One step from `from` toward `to`."),
//!         });
//!     }

const std = @import("std");

/// The header: `spin.c.spin_finish(call)`, `spin.c.SPIN_OK`.
pub const c = @import("c");

/// `spin_call *`.
pub const Call = ?*c.spin_call;
/// `spin_duration`: nanoseconds.
pub const Duration = enum(i64) { _ };
/// `spin_timestamp`: nanoseconds since 1970-01-01T00:00:00Z.
pub const Timestamp = enum(i64) { _ };

/// The bytes of a text from the host, for as long as the text is valid.
pub fn slice(text: c.spin_string) []const u8 {
    return if (text.size == 0) "" else text.data[0..text.size];
}

/// A text for the host, which copies it before an emission returns.
pub fn string(text: []const u8) c.spin_string {
    return .{ .data = text.ptr, .size = text.len };
}

/// A panic prints its message and ends the process, as an abort does. A plugin has `pub const panic = spin.panic;` in
/// its root file. Zig's own report of a panic uses threads and files, so that a host never unmaps the plugin.
pub const panic = std.debug.FullPanic(fail);

fn fail(message: []const u8, _: ?usize) noreturn {
    for ([_][]const u8{ "panic: ", message, "\n" }) |text| _ = std.c.write(2, text.ptr, text.len);
    std.c.abort();
}

/// Names the plugin, once in a library. `parts` is a tuple of everything that the plugin offers, in any
/// order: emitters, and results of `effect`, `config`, `instance`, `life` and `swap`.
pub fn plugin(comptime id: [:0]const u8, comptime version: [:0]const u8, comptime parts: anytype) void {
    const list = struct {
        const descriptions = blk: {
            var pointers: [parts.len][*c]const c.spin_description = undefined;
            for (parts, &pointers) |part, *pointer| pointer.* = &part.description.head;
            break :blk pointers;
        };
        const entry: c.struct_spin_entry = .{
            .size = @sizeOf(c.struct_spin_entry),
            .abi_major = c.SPIN_ABI_MAJOR,
            .abi_minor = 0,
            .flags = 0,
            .id = id,
            .version = version,
            .host = &host,
            .descriptions = &descriptions,
            .descriptions_end = @as([*]const [*c]const c.spin_description, &descriptions) + parts.len,
        };
    };
    @export(&list.entry, .{ .name = "spin_entry" });
    @export(&host, .{ .name = "spin_plugin_host", .visibility = .hidden });
    @export(&currentHost, .{ .name = "spin_current_host", .visibility = .hidden });
    @setEvalBranchQuota(1_000_000);
    for (@typeInfo(c).@"struct".decl_names) |name| {
        if (!std.mem.startsWith(u8, name, finder)) continue;
        @export(&Finder(name[finder.len..]).find, .{ .name = name, .visibility = .hidden });
    }
    exportNote("plugin", c.SPIN_KIND_PLUGIN, .{ abi, id, version });
    for (parts, 0..) |part, index| exportNote(number(index), part.description.head.kind, part.note);
}

/// Offers a function with the calling convention of C as an effect. `names` are those of its parameters.
///
/// Parameters: `bool`, integers and floats with a size, `[*:0]const u8`, `c.spin_string`, `c.spin_bytes`,
/// `c.spin_list_string`, `Duration`, `Timestamp`, with `Call` and a pointer to the plugin's instance first.
pub fn effect(
    comptime name: [:0]const u8,
    comptime names: []const []const u8,
    comptime function: anytype,
    comptime doc: [:0]const u8,
) type {
    return checkedEffect(name, names, function, doc, "");
}

/// The same with a bool expression over `result` and `errno`. The call has failed when it is true. Not for
/// functions that take a `Call`.
pub fn checkedEffect(
    comptime name: [:0]const u8,
    comptime names: []const []const u8,
    comptime function: anytype,
    comptime doc: [:0]const u8,
    comptime fails_if: [:0]const u8,
) type {
    const info = @typeInfo(@TypeOf(function)).@"fn";
    if (info.attrs.@"callconv" == .auto) @compileError("`" ++ name ++ "` must have `callconv(.c)`");
    if (info.param_types.len != names.len) @compileError("`" ++ name ++ "` has another number of parameters");
    const prototype = comptime blk: {
        var text: [:0]const u8 = cName(info.return_type.?) ++ " " ++ name ++ "(";
        for (info.param_types, names, 0..) |Parameter, its, index| {
            text = text ++ (if (index == 0) "" else ", ") ++ cName(Parameter.?) ++ " " ++ its;
        }
        break :blk text ++ (if (names.len == 0) "void)" else ")");
    };
    return struct {
        pub const description: c.spin_effect = .{
            .head = head(c.spin_effect, c.SPIN_KIND_EFFECT),
            .name = name,
            .prototype = prototype,
            .fails_if = fails_if,
            .doc = doc,
            .function = @ptrCast(&function),
        };
        pub const note = .{ name, prototype, fails_if, doc };
    };
}

/// An emission with the fields of an `extern struct`, which has types as for parameters. The result has
/// `emit(call, fields)` and `wait(call, fields, timeout)`.
pub fn Emitter(comptime name: [:0]const u8, comptime Payload: type) type {
    const prototype = "void " ++ name ++ "(" ++ members(Payload) ++ ")";
    return struct {
        pub const description: c.spin_emitter = .{
            .head = head(c.spin_emitter, c.SPIN_KIND_EMITTER),
            .name = name,
            .prototype = prototype,
            .doc = "",
            .payload_size = @sizeOf(Payload),
        };
        pub const note = .{ name, prototype, "" };

        /// Emits one event, and never waits: spin_emit.
        pub fn emit(call: Call, fields: Payload) c.spin_status {
            return c.spin_emit(call, &description, &fields);
        }

        /// Emits one event, and waits while the mailbox is full, at most `timeout` nanoseconds, or for ever
        /// below zero: spin_emit_wait.
        pub fn wait(call: Call, fields: Payload, timeout: i64) c.spin_status {
            return c.spin_emit_wait(call, &description, &fields, timeout);
        }
    };
}

/// The settings: an `extern struct` whose fields have defaults, of numbers, `bool` and texts. `Settings.docs`
/// is a struct with the documentation of each field, `Settings.ranges` one with `.{ least, greatest }` of
/// some fields.
pub fn config(comptime Settings: type) type {
    const parameters = "void spin_config(" ++ members(Settings) ++ ")";
    return struct {
        pub const description: c.struct_spin_plugin_config = .{
            .head = head(c.struct_spin_plugin_config, c.SPIN_KIND_CONFIG),
            .config_size = @sizeOf(Settings),
        };
        pub const note = blk: {
            const values: Settings = .{};
            var texts: []const [:0]const u8 = &.{parameters};
            for (fieldNames(Settings)) |name| {
                const range = if (@hasDecl(Settings, "ranges") and @hasField(@TypeOf(Settings.ranges), name))
                    .{ literal(@field(Settings.ranges, name)[0]), literal(@field(Settings.ranges, name)[1]) }
                else
                    .{ "", "" };
                texts = texts ++ .{ literal(@field(values, name)), range[0], range[1], @field(Settings.docs, name) };
            }
            break :blk texts[0..texts.len].*;
        };
    };
}

/// The plugin keeps something between calls, in instances of the struct `Self`:
///
///     pub fn create(call: Call, config: *const Settings) callconv(.c) ?*Self
///     pub fn destroy(self: *Self) callconv(.c) void
pub fn instance(comptime Self: type) type {
    const Settings = @typeInfo(@TypeOf(Self.create)).@"fn".param_types[1].?;
    return struct {
        pub const description: c.struct_spin_plugin_instance = .{
            .head = head(c.struct_spin_plugin_instance, c.SPIN_KIND_INSTANCE),
            .create = @ptrCast(@as(*const fn (Call, Settings) callconv(.c) ?*Self, &Self.create)),
            .destroy = @ptrCast(@as(*const fn (*Self) callconv(.c) void, &Self.destroy)),
        };
        pub const note = .{ "create", "destroy" };
    };
}

/// The instances start and stop:
///
///     pub fn start(call: Call, self: *Self) callconv(.c) c.spin_status
///     pub fn stop(self: *Self) callconv(.c) void
pub fn life(comptime Self: type) type {
    return struct {
        pub const description: c.struct_spin_plugin_life = .{
            .head = head(c.struct_spin_plugin_life, c.SPIN_KIND_LIFE),
            .start = @ptrCast(@as(*const fn (Call, *Self) callconv(.c) c.spin_status, &Self.start)),
            .stop = @ptrCast(@as(*const fn (*Self) callconv(.c) void, &Self.stop)),
        };
        pub const note = .{ "start", "stop" };
    };
}

/// The instances hand over their state. `schema` changes with the format of the saved state.
///
///     pub fn save(call: Call, self: *Self, saving: *c.spin_saving) callconv(.c) c.spin_status
///     pub fn restore(call: Call, self: *Self, saved: *const c.spin_saved) callconv(.c) c.spin_status
pub fn swap(comptime Self: type, comptime schema: u32) type {
    const Save = *const fn (Call, *Self, *c.spin_saving) callconv(.c) c.spin_status;
    const Restore = *const fn (Call, *Self, *const c.spin_saved) callconv(.c) c.spin_status;
    return struct {
        pub const description: c.struct_spin_plugin_swap = .{
            .head = head(c.struct_spin_plugin_swap, c.SPIN_KIND_SWAP),
            .schema = schema,
            .reserved = 0,
            .save = @ptrCast(@as(Save, &Self.save)),
            .restore = @ptrCast(@as(Restore, &Self.restore)),
        };
        pub const note = .{ "save", "restore", number(schema) };
    };
}

// The host stores its table here. `zig translate-c` leaves out the functions of the header that are atomic: the one
// that reads this variable, and those that find the tables of services.
var host: [*c]const c.spin_host = null;

fn currentHost() callconv(.c) [*c]const c.spin_host {
    return @atomicLoad([*c]const c.spin_host, &host, .acquire);
}

const finder = "spin_find_";

/// `spin_find_NAME` of the header: the table of a service, which it looks up until the host has one.
fn Finder(comptime name: []const u8) type {
    const Table = @typeInfo(@TypeOf(@field(c, finder ++ name))).@"fn".return_type.?;
    const id = comptime blk: {
        var upper: [name.len]u8 = undefined;
        break :blk @field(c, "SPIN_" ++ std.ascii.upperString(&upper, name) ++ "_SERVICE");
    };
    return struct {
        var found: Table = null;

        fn find() callconv(.c) Table {
            const known = @atomicLoad(Table, &found, .acquire);
            if (known != null) return known;
            const table: Table = @ptrCast(@alignCast(c.spin_service(id)));
            @atomicStore(Table, &found, table, .release);
            return table;
        }
    };
}

const abi: [:0]const u8 = number(c.SPIN_ABI_MAJOR) ++ "." ++ number(c.SPIN_ABI_MINOR);

fn head(comptime Description: type, comptime kind: u16) c.spin_description {
    return .{ .size = @sizeOf(Description), .kind = kind, .minor = 0 };
}

fn number(comptime value: anytype) [:0]const u8 {
    return std.fmt.comptimePrint("{d}", .{value});
}

fn fieldNames(comptime Struct: type) []const [:0]const u8 {
    return std.meta.fieldNames(Struct);
}

/// The fields of a struct as parameters in C.
fn members(comptime Struct: type) [:0]const u8 {
    comptime var text: [:0]const u8 = "";
    inline for (fieldNames(Struct), 0..) |name, index| {
        text = text ++ (if (index == 0) "" else ", ") ++ cName(@FieldType(Struct, name)) ++ " " ++ name;
    }
    return if (text.len == 0) "void" else text;
}

/// The name in C of a type.
fn cName(comptime Type: type) [:0]const u8 {
    return switch (Type) {
        void => "void",
        bool => "bool",
        f32 => "float",
        f64 => "double",
        Duration => "spin_duration",
        Timestamp => "spin_timestamp",
        c.spin_string => "spin_string",
        c.spin_bytes => "spin_bytes",
        c.spin_list_string => "spin_list_string",
        [*:0]const u8 => "const char *",
        Call => "spin_call *",
        else => switch (@typeInfo(Type)) {
            .int => |int| (if (int.signedness == .signed) "int" else "uint") ++ number(int.bits) ++ "_t",
            .pointer => |pointer| if (@hasDecl(pointer.child, "create")) "spin_self *" else unknown(Type),
            else => unknown(Type),
        },
    };
}

fn unknown(comptime Type: type) noreturn {
    @compileError("no type of a plugin is `" ++ @typeName(Type) ++ "`");
}

/// A default or a limit of a setting as C text.
fn literal(comptime value: anytype) [:0]const u8 {
    return switch (@TypeOf(value)) {
        bool => if (value) "true" else "false",
        c.spin_string => blk: {
            var text: [:0]const u8 = "\"";
            for (slice(value)) |byte| text = text ++ (if (byte == '"' or byte == '\\') "\\" else "") ++ .{byte};
            break :blk text ++ "\"";
        },
        else => number(value),
    };
}

/// A note in the library's file, which the host reads before any code of the plugin runs.
fn exportNote(comptime name: []const u8, comptime kind: u16, comptime texts: anytype) void {
    const contents = comptime blk: {
        var text: []const u8 = "";
        for (texts) |part| text = text ++ part ++ "\x00";
        break :blk text;
    };
    const stored = struct {
        const note: extern struct {
            owner_size: u32 = c.SPIN_NOTE_OWNER.len + 1,
            contents_size: u32 = contents.len,
            kind: u32 = kind,
            owner: [12]u8 = padded(12, c.SPIN_NOTE_OWNER),
            contents: [size]u8 = padded(size, contents),

            const size = (contents.len + 3) / 4 * 4;
        } = .{};
    };
    @export(&stored.note, .{ .name = "spin_note_" ++ name, .section = ".note.spinhost", .visibility = .hidden });
}

/// The text with zeros after it.
fn padded(comptime size: usize, comptime text: []const u8) [size]u8 {
    var bytes: [size]u8 = @splat(0);
    @memcpy(bytes[0..text.len], text);
    return bytes;
}

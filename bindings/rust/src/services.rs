//! The tables of the services. The headers in `spinhost/services` say what they do.
//! (script/services writes this file.)

use crate::host::service_table;
use crate::{Call, Duration, Field, Status, Timestamp};
use core::ffi::{c_char, c_void};

service_table! { ApiService, c"spin.api/1",
    publish(*const c_char, u32, u32, *const c_void, u32) -> Status;
    withdraw(*const c_char) -> Status;
    acquire(*const c_char, u32, u32, unsafe extern "C" fn(*mut c_void), *mut c_void, *mut *const c_void, *mut u32, *mut u64) -> Status;
    release(u64) -> Status;
}

service_table! { ArenaService, c"spin.arena/1",
    allocate(Call, usize) -> *mut c_void;
}

service_table! { BufferService, c"spin.buffer/1",
    allocate(usize) -> *mut u8;
    retain(Call, *const u8) -> Status;
    release(*const u8) -> Status;
}

service_table! { ClockService, c"spin.clock/1",
    monotonic() -> i64;
    wall() -> Timestamp;
}

service_table! { InstanceService, c"spin.instance/1",
    call(Call) -> Call;
}

service_table! { LogService, c"spin.log/2",
    write(Call, i32, *const c_char, usize, *const Field, usize) -> Status;
}

service_table! { MetricsService, c"spin.metrics/1",
    counter(*const c_char, *const c_char, *const *const c_char, usize) -> u64;
    gauge(*const c_char, *const c_char, *const *const c_char, usize) -> u64;
    histogram(*const c_char, *const c_char, *const *const c_char, usize, *const f64, usize) -> u64;
    add(u64, f64) -> Status;
    set(u64, f64) -> Status;
    observe(u64, f64) -> Status;
}

service_table! { OutputService, c"spin.output/1",
    print(*const c_char, usize) -> Status;
}

service_table! { PollService, c"spin.poll/1",
    start(Call, i32, u64, unsafe extern "C" fn(*mut c_void, u64), *mut c_void, unsafe extern "C" fn(*mut c_void), *mut u64) -> Status;
    change(u64, u64) -> Status;
    cancel(u64) -> Status;
}

service_table! { RoomService, c"spin.room/1",
    on_room(Call, unsafe extern "C" fn(*mut c_void), *mut c_void) -> Status;
}

service_table! { RunService, c"spin.run/1",
    key(Call, *mut c_char, usize) -> Status;
    attempt(Call) -> u32;
}

service_table! { TimerService, c"spin.timer/1",
    start(Call, Duration, Duration, unsafe extern "C" fn(*mut c_void, u64), *mut c_void, unsafe extern "C" fn(*mut c_void), *mut u64) -> Status;
    cancel(u64) -> Status;
}

service_table! { WorkService, c"spin.work/1",
    submit(unsafe extern "C" fn(*mut c_void), *mut c_void) -> Status;
}

import Foundation

/// A library that is preloaded, and lets one call of a program fail that writes to a disk.
public struct FailingCalls: Sendable {
    /// The path of the library.
    public let library: String

    /// Compiles the library into a folder.
    public init(in folder: TemporaryFolder) throws {
        library = try CCompiler().sharedObject(Self.source, in: folder, as: "failing.so")
    }

    /// The environment of a program in which the call with this number fails.
    ///
    /// - Parameters:
    ///   - isSync: Whether only calls count that wait for the disk.
    ///   - isLasting: Whether all later calls fail, too, as on a full disk.
    ///   - files: a part of the paths of the files whose calls count; nil: all files, but no folders.
    ///   - note: the file to which the line `failed` is appended; nil: standard output.
    public func environment(
        at number: Int, _ error: Int32, isSync: Bool = false, isLasting: Bool = false, files: String? = nil,
        note: String? = nil
    ) -> [String: String] {
        var environment = ["LD_PRELOAD": library, "FAULT_AT": "\(number)", "FAULT_ERRNO": "\(error)"]
        if isSync { environment["FAULT_SYNC"] = "1" }
        if isLasting { environment["FAULT_LASTS"] = "1" }
        environment["FAULT_FILES"] = files
        environment["FAULT_NOTE"] = note
        return environment
    }

    /// SQLite ignores a failed sync of a folder, so that never fails.
    private static let source = """
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <errno.h>
        #include <fcntl.h>
        #include <stdatomic.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>
        #include <sys/stat.h>
        #include <sys/types.h>
        #include <unistd.h>
        static int counts(int file) {
            const char *part = getenv("FAULT_FILES");
            char link[64], path[4096];
            struct stat status;
            if (fstat(file, &status) == 0 && S_ISDIR(status.st_mode)) return 0;
            if (!part) return 1;
            snprintf(link, sizeof link, "/proc/self/fd/%d", file);
            ssize_t size = readlink(link, path, sizeof path - 1);
            if (size < 0) return 0;
            path[size] = 0;
            return strstr(path, part) != NULL;
        }
        static void say(void) {
            const char *path = getenv("FAULT_NOTE");
            int file = path ? open(path, O_WRONLY | O_APPEND | O_CREAT, 0600) : 1;
            if (write(file, "failed\\n", 7) != 7) abort();
            if (path) close(file);
        }
        static int fails(int is_sync, int file) {
            static atomic_int calls;
            if (!is_sync && getenv("FAULT_SYNC")) return 0;
            if (!counts(file)) return 0;
            int number = atomic_fetch_add(&calls, 1) + 1, first = atoi(getenv("FAULT_AT"));
            if (number < first || (number > first && !getenv("FAULT_LASTS"))) return 0;
            if (number == first) say();
            errno = atoi(getenv("FAULT_ERRNO"));
            return 1;
        }
        #define CALL(RESULT, NAME, IS_SYNC, PARAMETERS, ARGUMENTS) \\
            RESULT NAME PARAMETERS { \\
                static RESULT (*next) PARAMETERS; \\
                if (fails(IS_SYNC, file)) return -1; \\
                if (!next) next = (RESULT (*) PARAMETERS)dlsym(RTLD_NEXT, #NAME); \\
                return next ARGUMENTS; \\
            }
        CALL(int, fsync, 1, (int file), (file))
        CALL(int, fdatasync, 1, (int file), (file))
        CALL(ssize_t, pwrite, 0, (int file, const void *bytes, size_t size, off_t offset), (file, bytes, size, offset))
        CALL(ssize_t, pwrite64, 0, (int file, const void *bytes, size_t size, off64_t offset), (file, bytes, size, offset))
        CALL(int, ftruncate, 0, (int file, off_t size), (file, size))
        CALL(int, ftruncate64, 0, (int file, off64_t size), (file, size))
        """
}

import Foundation
import Glibc
import TestSupport

/// Has the kernel kill each process of a plugin's worker, each a little later in its life than the one before.
///
/// The manifest has each process load a small library at its very start, before it restricts itself. The library writes
/// down that the process is there, and sets a timer of processor time. So on a busy machine the processes come as far as
/// on an idle one.
final class MortalWorkers: Sendable {
    /// A process that was there.
    struct Process: Hashable {
        let number: pid_t
        /// When it began: the system may give its number to another process.
        let begin: String
        /// The private folder that the host has made for it.
        let folder: String

        /// Whether the host has not taken its status yet.
        var isThere: Bool {
            guard let stat = try? String(contentsOfFile: "/proc/\(number)/stat", encoding: .utf8) else {
                return false
            }
            // The name before the last parenthesis may have spaces.
            let words = stat[(stat.lastIndex(of: ")") ?? stat.startIndex)...].split(separator: " ")
            return words.count > 20 && words[20] == begin
        }

        var hasFolder: Bool { FileManager.default.fileExists(atPath: folder) }
    }

    private let place: TemporaryFolder
    private let library: String
    private let first: Int
    private let step: Int

    /// - Parameters:
    ///   - first: so many processes live until `killAll`.
    ///   - step: how many microseconds of processor time each later one has more than the one before.
    init(after first: Int, step: Int) throws {
        (self.first, self.step) = (first, step)
        place = try TemporaryFolder()
        try place.write("processes", "")
        library = try CCompiler().sharedObject(Self.source, in: place, as: "mortal.so")
    }

    /// The variables for `env` in the plugin's `sandbox`.
    var variables: String {
        """
        { LD_PRELOAD = "\(library)", MORTAL_NOTES = "\(place.url("processes").path)", \
        MORTAL_AFTER = "\(first)", MORTAL_STEP = "\(step)" }
        """
    }

    /// All processes that there were, in order.
    var processes: [Process] {
        let notes = (try? String(contentsOf: place.url("processes"), encoding: .utf8)) ?? ""
        return notes.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            guard words.count == 3, let number = pid_t(words[0]) else { return nil }
            return Process(number: number, begin: String(words[1]), folder: String(words[2]))
        }
    }

    /// Kills those that live.
    func killAll() {
        for process in processes where process.isThere { kill(process.number, SIGKILL) }
    }

    private static let source = """
        #include <fcntl.h>
        #include <signal.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>
        #include <time.h>
        #include <unistd.h>

        enum { LINE = 512 };

        // The 22nd word of the process's status: when it began.
        static const char *begin(char *text, size_t size) {
            int file = open("/proc/self/stat", O_RDONLY);
            ssize_t count = read(file, text, size - 1);
            close(file);
            text[count < 0 ? 0 : count] = 0;
            char *rest = NULL, *word = strtok_r(strrchr(text, ')'), " ", &rest);
            for (int skipped = 0; skipped < 20; skipped++)
                word = strtok_r(NULL, " ", &rest);
            return word;
        }

        __attribute__((constructor)) static void prepare(void) {
            char text[2048], line[LINE + 1];
            int size = snprintf(line, sizeof line, "%d %s %s", getpid(), begin(text, sizeof text), getenv("TMPDIR"));
            memset(line + size, ' ', LINE - size);
            line[LINE - 1] = '\\n';
            int notes = open(getenv("MORTAL_NOTES"), O_WRONLY | O_APPEND | O_CLOEXEC);
            if (write(notes, line, LINE) != LINE)
                abort();
            // All lines have the same size, so the place after this one says how many processes there were.
            long number = lseek(notes, 0, SEEK_CUR) / LINE - atol(getenv("MORTAL_AFTER"));
            close(notes);
            if (number <= 0)
                return;
            struct sigevent end = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL};
            long life = number * atol(getenv("MORTAL_STEP"));
            struct itimerspec time = {.it_value = {life / 1000000, life % 1000000 * 1000}};
            timer_t timer;
            if (timer_create(CLOCK_PROCESS_CPUTIME_ID, &end, &timer) || timer_settime(timer, 0, &time, NULL))
                abort();
        }

        """
}

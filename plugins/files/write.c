// Writes files as a whole, and appends to files.
#include "instance.h"
#include "job.h"
#include "names.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/random.h>
#include <unistd.h>

/* How much it writes at once. */
enum { piece = 1 << 20 };

/* The bits of a mode: all, and those without setuid, setgid and the sticky bit. */
enum { all_bits = 07777, permissions = 0777 };

// What a new file replaces: 1 with its status, or 0; -1 with a problem.
static int find_old(int folder, const char *name, struct stat *status, struct problem *problem) {
    if (fstatat(folder, name, status, AT_SYMLINK_NOFOLLOW) != 0) {
        problem_of_errno(problem);
        return errno == ENOENT ? 0 : -1;
    }
    if (S_ISREG(status->st_mode))
        return 1;
    if (S_ISLNK(status->st_mode))
        problem_set(problem, EINVAL, "it is a symbolic link, which it does not replace");
    else if (S_ISDIR(status->st_mode))
        problem_set(problem, EISDIR, "it is a folder");
    else
        problem_set(problem, EINVAL, "it is not a regular file");
    return -1;
}

// Makes a file with a mode, less the umask, beside another one. Its name is hidden, and no other program has it.
static int make_beside(int folder, mode_t mode, char name[static 40], struct problem *problem) {
    uint64_t number;
    if (getrandom(&number, sizeof number, 0) != sizeof number)
        return problem_of_errno(problem), -1;
    snprintf(name, 40, OWN_NAMES "%016llx", (unsigned long long)number);
    int file = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
    if (file < 0)
        problem_of_errno(problem);
    return file;
}

static int write_all(struct job *job, int file, struct problem *problem) {
    for (size_t done = 0; done < job->data.size;) {
        size_t left = job->data.size - done;
        ssize_t count = write(file, job->data.data + done, left < piece ? left : piece);
        if (count < 0 && errno != EINTR)
            return problem_of_errno(problem);
        done += count > 0 ? (size_t)count : 0;
        if (job_is_over(job, problem))
            return 0;
    }
    return 1;
}

// Gives a file these bits of the mode of the one that it replaces. A worker may not change a mode, so most files need
// no change.
static int keep_mode(int file, const struct stat *old, mode_t bits, struct problem *problem) {
    struct stat status;
    if (fstat(file, &status) != 0)
        return problem_of_errno(problem);
    mode_t mode = old->st_mode & bits;
    // They lend the rights of the owner and of the group, and somebody else has set them for a file of his own.
    if (status.st_uid != old->st_uid)
        mode &= ~(mode_t)S_ISUID;
    if (status.st_gid != old->st_gid)
        mode &= ~(mode_t)S_ISGID;
    if ((status.st_mode & all_bits) == mode)
        return 1;
    int error = fchmod(file, mode) != 0 || fstat(file, &status) != 0 ? errno : 0;
    // The kernel leaves out the bit of a group that is not one of the app's.
    if (!error && (status.st_mode & all_bits) != mode)
        error = EPERM;
    return !error || problem_set(problem, error, "the new file cannot have the mode of the old one");
}

// Writes the content, and brings it to the disk. If it replaces an old file, it has the mode of that then.
static int fill(struct job *job, int file, const struct stat *old, struct problem *problem) {
    // The kernel takes the special bits from a file that is written to, so they come last.
    return (!old || keep_mode(file, old, permissions, problem)) && write_all(job, file, problem) &&
           (!old || keep_mode(file, old, all_bits, problem)) && !job_is_over(job, problem) &&
           (fsync(file) == 0 || problem_of_errno(problem));
}

// Writes a file beside the one with this name, and gives it the name when it is whole and on the disk.
static int replace(struct job *job, int folder, const char *name, struct problem *problem) {
    struct stat before;
    int replaces = find_old(folder, name, &before, problem);
    if (replaces < 0)
        return 0;
    char beside[40];
    int file = make_beside(folder, replaces ? before.st_mode & permissions : 0666, beside, problem);
    if (file < 0)
        return 0;
    int is_done = fill(job, file, replaces ? &before : NULL, problem) &&
                  (renameat(folder, beside, folder, name) == 0 || problem_of_errno(problem));
    close(file);
    if (!is_done)
        unlinkat(folder, beside, 0);
    return is_done && (fsync(folder) == 0 || problem_of_errno(problem));
}

int write_file(struct job *job, struct problem *problem) {
    const char *name;
    // Only a folder that is open for reading can be brought to the disk.
    int folder = place_open_folder(&job->self->place, job->path, O_RDONLY, &name, problem);
    if (folder < 0)
        return 0;
    int is_done = replace(job, folder, name, problem);
    close(folder);
    return is_done;
}

int append_to_file(struct job *job, struct problem *problem) {
    struct stat status;
    int file = place_open_file(&job->self->place, job->path, O_WRONLY | O_APPEND | O_CREAT, &status, problem);
    if (file < 0)
        return 0;
    ssize_t count;
    do // One write, so that the parts of several programs do not mix.
        count = write(file, job->data.data, job->data.size);
    while (count < 0 && errno == EINTR);
    int is_done = 0;
    if (count < 0)
        problem_of_errno(problem);
    else if ((size_t)count < job->data.size)
        problem_set(problem, ENOSPC, "the disk has taken a part only");
    else
        is_done = !job->self->config->sync_appends || fsync(file) == 0 || problem_of_errno(problem);
    close(file);
    return is_done;
}

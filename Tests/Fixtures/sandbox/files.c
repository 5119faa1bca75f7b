#include "attempt.h"

#include <dirent.h>
#include <linux/btrfs.h>
#include <linux/fs.h>
#include <linux/fsverity.h>
#include <sys/ioctl.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <sys/xattr.h>

// The argument is a folder, or a file.

void read_file(const char *file) { tell("read", open(file, O_RDONLY)); }

void write_file(const char *file) { tell("write", open(file, O_WRONLY)); }

void list_folder(const char *folder) { tell("list", open(folder, O_RDONLY | O_DIRECTORY)); }

void read_linked(const char *paths) {
    // `FILE:LINK`
    char copy[4096];
    strcpy(copy, paths);
    char *link = strchr(copy, ':');
    *link++ = 0;
    tell("symlink", symlink(copy, link));
    tell("read", open(link, O_RDONLY));
    tell("write", open(link, O_WRONLY | O_TRUNC));
}

void change_outside(const char *folder) {
    tell("chdir", chdir(folder));
    TRY(open("new", O_WRONLY | O_CREAT, 0600));
    TRY(open("secret", O_RDONLY));
    TRY(open("secret", O_WRONLY | O_TRUNC));
    TRY(open("secret", O_RDONLY | O_TRUNC));
    TRY(open(".", O_RDWR | O_TMPFILE, 0600));
    TRY(truncate("secret", 0));
    TRY(unlink("secret"));
    TRY(rename("secret", "public"));
    TRY(mkdir("folder", 0700));
    TRY(rmdir("empty"));
    TRY(symlink("secret", "link"));
    TRY(link("secret", "hard"));
    TRY(mkfifo("pipe", 0600));
}

void change_metadata(const char *file) {
    const struct timeval times[2] = {{0}};
    const int opened = open(file, O_RDONLY);
    tell("open", opened);
    TRY(chmod(file, 0777));
    TRY(fchmod(opened, 0777));
    TRY(chown(file, 1, 1));
    TRY(utimes(file, times));
    TRY(setxattr(file, "user.x", "1", 1, 0));
    TRY(fsetxattr(opened, "user.x", "1", 1, 0));
    TRY(ioctl(opened, FS_IOC_SETFLAGS, &(int){FS_NOATIME_FL}));
    TRY(ioctl(opened, FS_IOC_ENABLE_VERITY, NULL));
    TRY(ioctl(opened, BTRFS_IOC_SUBVOL_CREATE, NULL));
    TRY(fcntl(opened, F_SETLEASE, F_RDLCK));
}

void make_devices(const char *folder) {
    tell("chdir", chdir(folder));
    TRY(mknod("memory", S_IFCHR | 0600, makedev(1, 1)));
    TRY(mknod("disk", S_IFBLK | 0600, makedev(8, 0)));
    TRY(mknodat(AT_FDCWD, "memory", S_IFCHR | 0600, makedev(1, 1)));
    TRY(mkfifo("pipe", 0600));
}

// The argument is the folder itself.
void move_itself(const char *folder) {
    char other[4096];
    snprintf(other, sizeof other, "%s-moved", folder);
    TRY(rename(folder, other));
    TRY(rmdir(folder));
}

// `OUTSIDE:INSIDE`, two folders
void move_across(const char *paths) {
    char outside[4096], from[8192], to[8192];
    strcpy(outside, paths);
    char *inside = strchr(outside, ':');
    *inside++ = 0;
    snprintf(from, sizeof from, "%s/secret", outside);
    snprintf(to, sizeof to, "%s/secret", inside);
    TRY(link(from, to));
    TRY(rename(from, to));
    snprintf(from, sizeof from, "%s/../outside/secret", inside);
    TRY(open(from, O_RDONLY));
}

void reopen_place(const char *file) {
    char link[4096];
    const int place = open(file, O_PATH);
    tell("place", place);
    snprintf(link, sizeof link, "/proc/self/fd/%d", place);
    TRY(open(link, O_RDONLY));
    TRY(openat(place, "", O_RDONLY));
    snprintf(link, sizeof link, "/proc/self/root%s", file);
    TRY(open(link, O_RDONLY));
}

void read_parent(const char *unused) {
    (void)unused;
    char path[64];
    const char *files[] = {"mem", "environ", "maps", "cmdline", "root/etc/passwd", "cwd", "fd/0"};
    for (size_t index = 0; index < sizeof files / sizeof files[0]; index++) {
        snprintf(path, sizeof path, "/proc/%d/%s", getppid(), files[index]);
        tell(files[index], open(path, O_RDONLY));
    }
}

void use_scratch(const char *folder) {
    tell("chdir", chdir(folder));
    const int file = open("a", O_RDWR | O_CREAT, 0600);
    tell("open", file);
    TRY(write(file, "x", 1));
    TRY(ftruncate(file, 100));
    tell("mmap", mmap(NULL, 100, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) == MAP_FAILED ? -1 : 0);
    TRY(mkdir("sub", 0700));
    TRY(rename("a", "sub/b"));
    TRY(link("sub/b", "c"));
    TRY(symlink("c", "d"));
    TRY(open("d", O_RDONLY));
    TRY(open(".", O_RDONLY | O_DIRECTORY));
    TRY(open(".", O_RDWR | O_TMPFILE, 0600));
    TRY(unlink("c"));
    TRY(mkfifo("pipe", 0600));
}

void count_own_files(const char *unused) {
    (void)unused;
    DIR *folder = opendir("/proc/self/fd");
    tell("open", folder == NULL ? -1 : 0);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        const int number = atoi(entry->d_name);
        char target[256] = "";
        if (entry->d_name[0] != '.' && number != dirfd(folder) && number > 2) {
            const ssize_t length = readlinkat(dirfd(folder), entry->d_name, target, sizeof target - 1);
            dprintf(1, "%d %.*s\n", number, strncmp(target, "/proc/", 6) == 0 ? 6 : (int)length, target);
        }
    }
}

void open_many(const char *unused) {
    (void)unused;
    int count = 0;
    while (open("/dev/null", O_RDONLY) >= 0) {
        count++;
    }
    dprintf(1, "%s after %d\n", strerrorname_np(errno), count);
}

//! What is free: the least that the machine, its control groups and the process's limits leave.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::OnceLock,
};

/// Bytes of the host's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SystemMemory {
    /// What can be had, without swapping.
    pub free: u64,
    /// What there is in all, or what may be taken of it.
    pub total: u64,
    /// What could be swapped out.
    swap: u64,
    /// What the process's own limits leave, of which swapping is no part.
    allowed: u64,
}

impl SystemMemory {
    /// What can be had if the machine swaps.
    pub fn with_swap(self) -> u64 {
        self.free.saturating_add(self.swap).min(self.allowed)
    }
}

/// What the machine has and this process may take. Reads some small files of `/proc` and `/sys`.
pub(crate) fn system_memory() -> SystemMemory {
    static GROUPS: OnceLock<Vec<Group>> = OnceLock::new();
    let root = Path::new("/");
    let groups = GROUPS.get_or_init(|| groups(root));
    let mut memory = of_machine(root);
    for group in groups {
        memory = group.limit(memory);
    }
    let allowed = allowed(root);
    SystemMemory {
        free: memory.free.min(allowed),
        allowed,
        ..memory
    }
}

/// A number of KiB behind a name, in bytes.
fn kib(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let number: u64 = line.split_whitespace().next()?.parse().ok()?;
    number.checked_mul(1024)
}

fn of_machine(root: &Path) -> SystemMemory {
    let text = fs::read_to_string(root.join("proc/meminfo")).unwrap_or_default();
    SystemMemory {
        free: kib(&text, "MemAvailable:").unwrap_or(u64::MAX),
        total: kib(&text, "MemTotal:").unwrap_or(u64::MAX),
        swap: kib(&text, "SwapFree:").unwrap_or(0),
        allowed: u64::MAX,
    }
}

/// What limits of the address space and of the data leave (`ulimit -v` and `-d`).
#[cfg(unix)]
fn allowed(root: &Path) -> u64 {
    use rustix::process::{Resource, getrlimit};
    let limit = |resource| getrlimit(resource).current.unwrap_or(u64::MAX);
    let (space, data) = (limit(Resource::As), limit(Resource::Data));
    if space.min(data) == u64::MAX {
        return u64::MAX;
    }
    let status = fs::read_to_string(root.join("proc/self/status")).unwrap_or_default();
    let taken = |name| kib(&status, name).unwrap_or(0);
    let left = |limit: u64, taken: u64| match limit {
        u64::MAX => u64::MAX,
        limit => limit.saturating_sub(taken),
    };
    left(space, taken("VmSize:")).min(left(data, taken("VmData:")))
}

#[cfg(not(unix))]
fn allowed(_: &Path) -> u64 {
    u64::MAX
}

/// A control group that this process is in, directly or by one of its groups, of either version.
struct Group {
    folder: PathBuf,
    /// Names of the files with the limit, with what is taken, and with what of that is files'
    /// content that can be dropped.
    limit: &'static str,
    taken: &'static str,
    droppable: &'static str,
}

impl Group {
    fn limit(&self, memory: SystemMemory) -> SystemMemory {
        let read = |name| fs::read_to_string(self.folder.join(name)).unwrap_or_default();
        let number = |name| read(name).trim().parse::<u64>().ok();
        // `max` is no limit; the first version says so with a number that is larger than any memory
        let Some(limit) = number(self.limit).filter(|&limit| limit < memory.total) else {
            return memory;
        };
        let droppable = read("memory.stat").lines().find_map(|line| {
            let (name, number) = line.split_once(' ')?;
            (name == self.droppable).then(|| number.parse::<u64>().ok())?
        });
        let taken = number(self.taken)
            .unwrap_or(0)
            .saturating_sub(droppable.unwrap_or(0));
        SystemMemory {
            free: memory.free.min(limit.saturating_sub(taken)),
            total: limit,
            // whether the group may swap is another matter
            swap: 0,
            ..memory
        }
    }
}

/// The control groups whose limits hold for this process.
fn groups(root: &Path) -> Vec<Group> {
    let read = |name| fs::read_to_string(root.join(name)).unwrap_or_default();
    let (mounts, mine) = (read("proc/self/mountinfo"), read("proc/self/cgroup"));
    let mut groups = Vec::new();
    for mount in mounts.lines().filter_map(Mount::parse) {
        let of_mount = |line: &&str| {
            let controllers = line.split(':').nth(1).unwrap_or_default();
            if mount.is_second {
                controllers.is_empty()
            } else {
                controllers.split(',').any(|name| name == "memory")
            }
        };
        let Some(path) = mine
            .lines()
            .find(of_mount)
            .and_then(|line| line.splitn(3, ':').nth(2))
        else {
            continue;
        };
        // in a container the mount may begin at a group of its own
        let below = Path::new(path).strip_prefix(mount.group);
        let below = below.unwrap_or(Path::new(""));
        let point = root.join(mount.point.trim_start_matches('/'));
        for folder in below.ancestors() {
            groups.push(mount.group_in(point.join(folder)));
        }
    }
    groups
}

/// A place where control groups are seen as files.
struct Mount<'a> {
    /// The group that is seen there.
    group: &'a str,
    point: &'a str,
    /// Whether it is of the second version.
    is_second: bool,
}

impl<'a> Mount<'a> {
    fn parse(line: &'a str) -> Option<Self> {
        let (before, after) = line.split_once(" - ")?;
        let mut before = before.split(' ');
        let (group, point) = (before.nth(3)?, before.next()?);
        let mut after = after.split(' ');
        let (kind, options) = (after.next()?, after.nth(1)?);
        let is_second = kind == "cgroup2";
        let has_memory = kind == "cgroup" && options.split(',').any(|name| name == "memory");
        (is_second || has_memory).then_some(Self {
            group,
            point,
            is_second,
        })
    }

    fn group_in(&self, folder: PathBuf) -> Group {
        if self.is_second {
            Group {
                folder,
                limit: "memory.max",
                taken: "memory.current",
                droppable: "inactive_file",
            }
        } else {
            Group {
                folder,
                limit: "memory.limit_in_bytes",
                taken: "memory.usage_in_bytes",
                droppable: "total_inactive_file",
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A machine with 8 GiB, of which 6 are there to have.
    fn machine(mountinfo: &str, cgroup: &str) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("proc/self")).unwrap();
        let write = |name: &str, text: &str| fs::write(root.path().join(name), text).unwrap();
        write(
            "proc/meminfo",
            "MemTotal:        8388608 kB\nMemFree:  1024 kB\nMemAvailable:    6291456 kB\nSwapFree: 1024 kB\n",
        );
        write("proc/self/mountinfo", mountinfo);
        write("proc/self/cgroup", cgroup);
        root
    }

    fn group(root: &Path, folder: &str, files: &[(&str, &str)]) {
        let folder = root.join(folder);
        fs::create_dir_all(&folder).unwrap();
        for (name, text) in files {
            fs::write(folder.join(name), text).unwrap();
        }
    }

    fn free_and_total(root: &Path) -> (u64, u64) {
        let memory = groups(root)
            .iter()
            .fold(of_machine(root), |memory, group| group.limit(memory));
        (memory.free >> 20, memory.total >> 20)
    }

    #[test]
    fn a_machine_without_control_groups() {
        let root = machine("", "");
        assert_eq!(free_and_total(root.path()), (6144, 8192));
        assert_eq!(
            of_machine(root.path()).with_swap(),
            (6144 << 20) + (1 << 20)
        );
        let nothing = of_machine(Path::new("/nowhere"));
        assert_eq!((nothing.free, nothing.swap), (u64::MAX, 0));
    }

    #[test]
    fn the_second_version() {
        let mount = "30 24 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n";
        let root = machine(mount, "0::/user/job\n");
        let top = "sys/fs/cgroup";
        group(
            root.path(),
            &format!("{top}/user/job"),
            &[("memory.max", "max\n"), ("memory.current", "104857600\n")],
        );
        assert_eq!(free_and_total(root.path()), (6144, 8192));
        // the limit of the group that the process's is in
        group(
            root.path(),
            &format!("{top}/user"),
            &[
                ("memory.max", "2147483648\n"),
                ("memory.current", "1073741824\n"),
                ("memory.stat", "anon 5\ninactive_file 536870912\n"),
            ],
        );
        assert_eq!(free_and_total(root.path()), (1536, 2048));
        group(
            root.path(),
            &format!("{top}/user/job"),
            &[
                ("memory.max", "104857600\n"),
                ("memory.current", "209715200\n"),
            ],
        );
        assert_eq!(free_and_total(root.path()), (0, 100));
    }

    #[test]
    fn the_first_version_in_a_container() {
        let mounts = "33 30 0:30 /docker/abc /sys/fs/cgroup/cpu ro - cgroup cgroup rw,cpu\n\
                      34 30 0:31 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n";
        let root = machine(mounts, "9:cpu:/docker/abc\n8:memory:/docker/abc\n");
        group(
            root.path(),
            "sys/fs/cgroup/memory",
            &[
                ("memory.limit_in_bytes", "1073741824\n"),
                ("memory.usage_in_bytes", "536870912\n"),
                (
                    "memory.stat",
                    "inactive_file 7\ntotal_inactive_file 268435456\n",
                ),
            ],
        );
        assert_eq!(free_and_total(root.path()), (768, 1024));
        group(
            root.path(),
            "sys/fs/cgroup/memory",
            &[("memory.limit_in_bytes", "9223372036854771712\n")],
        );
        assert_eq!(free_and_total(root.path()), (6144, 8192));
    }

    #[test]
    fn this_machine_has_memory() {
        let memory = system_memory();
        assert!(memory.free > 0 && memory.free <= memory.total.max(memory.free));
    }
}

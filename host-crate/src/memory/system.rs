//! Available memory: the minimum of the machine, its control groups and the process limits.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::OnceLock,
};

/// Memory of the host in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SystemMemory {
    /// Available bytes without swapping.
    pub free: u64,
    /// Total bytes, as limited by control groups.
    pub total: u64,
    /// Free bytes of swap space.
    swap: u64,
    /// Bytes left by the process's own limits, which include swapped memory.
    allowed: u64,
}

impl SystemMemory {
    /// Returns the available bytes including swap space.
    pub fn with_swap(self) -> u64 {
        self.free.saturating_add(self.swap).min(self.allowed)
    }
}

/// Returns the memory that is available to this process. Reads small files of `/proc` and `/sys`.
pub(crate) fn system_memory() -> SystemMemory {
    static GROUPS: OnceLock<Vec<Group>> = OnceLock::new();
    let root = Path::new("/");
    let groups = GROUPS.get_or_init(|| groups(root));
    let mut memory = machine_memory(root);
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

/// Parses the number of KiB after a name, and returns it in bytes.
fn kib(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let number: u64 = line.split_whitespace().next()?.parse().ok()?;
    number.checked_mul(1024)
}

fn machine_memory(root: &Path) -> SystemMemory {
    let text = fs::read_to_string(root.join("proc/meminfo")).unwrap_or_default();
    SystemMemory {
        free: kib(&text, "MemAvailable:").unwrap_or(u64::MAX),
        total: kib(&text, "MemTotal:").unwrap_or(u64::MAX),
        swap: kib(&text, "SwapFree:").unwrap_or(0),
        allowed: u64::MAX,
    }
}

/// Returns the bytes left by the limits of the address space and of the data segment (`ulimit -v`
/// and `-d`).
#[cfg(unix)]
fn allowed(root: &Path) -> u64 {
    use rustix::process::{Resource, getrlimit};
    let limit = |resource| getrlimit(resource).current.unwrap_or(u64::MAX);
    let (space, data) = (limit(Resource::As), limit(Resource::Data));
    if space.min(data) == u64::MAX {
        return u64::MAX;
    }
    let status = fs::read_to_string(root.join("proc/self/status")).unwrap_or_default();
    let usage = |name| kib(&status, name).unwrap_or(0);
    let remaining = |limit: u64, usage: u64| match limit {
        u64::MAX => u64::MAX,
        limit => limit.saturating_sub(usage),
    };
    remaining(space, usage("VmSize:")).min(remaining(data, usage("VmData:")))
}

#[cfg(not(unix))]
fn allowed(_: &Path) -> u64 {
    u64::MAX
}

/// A control group, of version 1 or 2, that this process is a member of, directly or indirectly.
struct Group {
    folder: PathBuf,
    /// Names of the files with the limit, with the usage, and with the part of the usage that is
    /// reclaimable page cache.
    limit: &'static str,
    usage: &'static str,
    reclaimable: &'static str,
}

impl Group {
    fn limit(&self, memory: SystemMemory) -> SystemMemory {
        let read = |name| fs::read_to_string(self.folder.join(name)).unwrap_or_default();
        let number = |name| read(name).trim().parse::<u64>().ok();
        // `max` means no limit; version 1 uses a number larger than any memory instead
        let Some(limit) = number(self.limit).filter(|&limit| limit < memory.total) else {
            return memory;
        };
        let reclaimable = read("memory.stat").lines().find_map(|line| {
            let (name, number) = line.split_once(' ')?;
            (name == self.reclaimable).then(|| number.parse::<u64>().ok())?
        });
        let usage = number(self.usage)
            .unwrap_or(0)
            .saturating_sub(reclaimable.unwrap_or(0));
        SystemMemory {
            free: memory.free.min(limit.saturating_sub(usage)),
            total: limit,
            // whether the group may swap is unknown
            swap: 0,
            ..memory
        }
    }
}

/// Returns the control groups whose limits apply to this process.
fn groups(root: &Path) -> Vec<Group> {
    let read = |name| fs::read_to_string(root.join(name)).unwrap_or_default();
    let (mounts, mine) = (read("proc/self/mountinfo"), read("proc/self/cgroup"));
    let mut groups = Vec::new();
    for mount in mounts.lines().filter_map(Mount::parse) {
        let belongs_to_mount = |line: &&str| {
            let controllers = line.split(':').nth(1).unwrap_or_default();
            if mount.is_version_2 {
                controllers.is_empty()
            } else {
                controllers.split(',').any(|name| name == "memory")
            }
        };
        let Some(path) = mine
            .lines()
            .find(belongs_to_mount)
            .and_then(|line| line.splitn(3, ':').nth(2))
        else {
            continue;
        };
        // in a container the mount may have a subgroup as its root
        let below = Path::new(path).strip_prefix(mount.group);
        let below = below.unwrap_or(Path::new(""));
        let point = root.join(mount.point.trim_start_matches('/'));
        for folder in below.ancestors() {
            groups.push(mount.group_in(point.join(folder)));
        }
    }
    groups
}

/// A mount point of control groups.
struct Mount<'a> {
    /// The control group that is mounted.
    group: &'a str,
    point: &'a str,
    /// `true` for version 2.
    is_version_2: bool,
}

impl<'a> Mount<'a> {
    fn parse(line: &'a str) -> Option<Self> {
        let (before, after) = line.split_once(" - ")?;
        let mut before = before.split(' ');
        let (group, point) = (before.nth(3)?, before.next()?);
        let mut after = after.split(' ');
        let (kind, options) = (after.next()?, after.nth(1)?);
        let is_version_2 = kind == "cgroup2";
        let has_memory = kind == "cgroup" && options.split(',').any(|name| name == "memory");
        (is_version_2 || has_memory).then_some(Self {
            group,
            point,
            is_version_2,
        })
    }

    fn group_in(&self, folder: PathBuf) -> Group {
        if self.is_version_2 {
            Group {
                folder,
                limit: "memory.max",
                usage: "memory.current",
                reclaimable: "inactive_file",
            }
        } else {
            Group {
                folder,
                limit: "memory.limit_in_bytes",
                usage: "memory.usage_in_bytes",
                reclaimable: "total_inactive_file",
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates the files of a machine with 8 GiB, of which 6 GiB are available.
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
            .fold(machine_memory(root), |memory, group| group.limit(memory));
        (memory.free >> 20, memory.total >> 20)
    }

    #[test]
    fn machine_without_control_groups() {
        let root = machine("", "");
        assert_eq!(free_and_total(root.path()), (6144, 8192));
        assert_eq!(
            machine_memory(root.path()).with_swap(),
            (6144 << 20) + (1 << 20)
        );
        let nothing = machine_memory(Path::new("/nowhere"));
        assert_eq!((nothing.free, nothing.swap), (u64::MAX, 0));
    }

    #[test]
    fn limits_of_control_groups_version_2() {
        let mount = "30 24 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n";
        let root = machine(mount, "0::/user/job\n");
        let top = "sys/fs/cgroup";
        group(
            root.path(),
            &format!("{top}/user/job"),
            &[("memory.max", "max\n"), ("memory.current", "104857600\n")],
        );
        assert_eq!(free_and_total(root.path()), (6144, 8192));
        // the limit of the parent group
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
    fn limits_of_control_groups_version_1_in_a_container() {
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

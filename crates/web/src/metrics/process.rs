//! What the system says of this process.

/// Bytes of the process that are in memory.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct Memory {
    /// All of them.
    pub(crate) resident: u64,
    /// Those that belong to no file: heap and stacks.
    pub(crate) anonymous: u64,
}

impl Memory {
    /// Now; zero where the system does not say.
    pub(crate) fn now() -> Self {
        std::fs::read_to_string("/proc/self/status").map_or_else(|_| Self::default(), |text| Self::read(&text))
    }

    fn read(status: &str) -> Self {
        let field = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name))?;
            line.trim_start_matches(':').trim().strip_suffix("kB")?.trim().parse::<u64>().ok()
        };
        let bytes = |name: &str| field(name).unwrap_or(0).saturating_mul(1024);
        Self { resident: bytes("VmRSS"), anonymous: bytes("RssAnon") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_system_is_understood() {
        let read = Memory::read("Name:\tx\nVmRSS:\t    6144 kB\nRssAnon:\t     812 kB\n");
        assert_eq!(read, Memory { resident: 6144 * 1024, anonymous: 812 * 1024 });
        let now = Memory::now();
        assert!(now.resident >= now.anonymous && now.anonymous > 0, "{now:?}");
    }
}

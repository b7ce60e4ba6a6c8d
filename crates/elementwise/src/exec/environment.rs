//! What the environment says, and the machine of its caches.

/// What the environment says.
pub(super) fn told(variable: &str) -> Option<usize> {
    number(&std::env::var(variable).ok()?)
}

/// A number that may end in `K`, `M` or `G`.
fn number(text: &str) -> Option<usize> {
    let text = text.trim();
    let shift = match text.chars().last()?.to_ascii_uppercase() {
        'K' => 10,
        'M' => 20,
        'G' => 30,
        _ => return text.parse().ok(),
    };
    text[..text.len() - 1].trim_end().parse::<usize>().ok()?.checked_mul(1 << shift)
}

/// The bytes that stay in the caches of all threads from one pass to the next: each thread's own,
/// and a share of the last level.
pub fn kept_in_cache() -> usize {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let told = |level: usize, what: &str| {
        let path = format!("/sys/devices/system/cpu/cpu0/cache/index{level}/{what}");
        Some(std::fs::read_to_string(path).ok()?.trim().to_owned())
    };
    let level = |wanted: &str| {
        let at = (0..8).rfind(|&at| told(at, "level").as_deref() == Some(wanted))?;
        let size = number(&told(at, "size")?)?;
        Some((size, told(at, "shared_cpu_list").map_or(threads, |list| listed(&list))))
    };
    kept_of(threads, level("2").map_or(1 << 20, |(size, _)| size), level("3"))
}

/// How many numbers there are in a list such as `0-3,8`.
fn listed(list: &str) -> usize {
    let count = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        Some(1 + last.parse::<usize>().ok()?.checked_sub(first.parse().ok()?)?)
    };
    list.split(',').filter_map(count).sum::<usize>().max(1)
}

/// The bytes that so many threads keep, of a second level of this size for each, and of a last one
/// of this size for so many of them.
///
/// A last level of up to 32 MiB is that of a group of cores, near to them: three quarters of it can
/// be counted on, if there are some threads. A larger one is spread over a whole processor: far
/// away, and shared with others who are not seen from here, above all on virtual machines, which
/// tell the size of all of it.
fn kept_of(threads: usize, second: usize, last: Option<(usize, usize)>) -> usize {
    // The most that a thread can count on of a last level of either kind.
    const NEAR: usize = 12 << 20;
    const FAR: usize = 4 << 20;
    let of_last = match last {
        Some((size, sharing)) if size <= 32 << 20 => {
            (threads * NEAR).min(threads.div_ceil(sharing) * (size / 4 * 3))
        }
        _ => threads * FAR,
    };
    threads * second + of_last
}

#[cfg(test)]
mod tests {
    use super::{kept_of, listed, number};

    #[test]
    fn numbers_of_the_environment() {
        let cases = [
            ("0", Some(0)),
            (" 4096 ", Some(4096)),
            ("256K", Some(256 << 10)),
            ("12m", Some(12 << 20)),
            ("1 G", Some(1 << 30)),
            ("", None),
            ("K", None),
            ("-1", None),
            ("1.5M", None),
            ("12MiB", None),
            ("18446744073709551615K", None),
        ];
        let wrong: Vec<_> =
            cases.into_iter().filter(|&(text, want)| number(text) != want).collect();
        assert!(wrong.is_empty(), "{wrong:?}");
    }

    #[test]
    fn lists_of_processors() {
        let cases = [("0", 1), ("0-1", 2), ("0-7,64-71", 16), ("3,5,9", 3), ("", 1), ("5-2", 1)];
        let wrong: Vec<_> =
            cases.into_iter().filter(|&(text, want)| listed(text) != want).collect();
        assert!(wrong.is_empty(), "{wrong:?}");
    }

    #[test]
    fn shares_of_caches() {
        const MIB: usize = 1 << 20;
        let cases = [
            // Two threads of a group with a last level of its own; all eight; eight such groups.
            ((2, MIB, Some((32 * MIB, 2))), 26 * MIB),
            ((16, MIB / 2, Some((32 * MIB, 16))), 32 * MIB),
            ((128, MIB, Some((32 * MIB, 16))), 320 * MIB),
            ((1, MIB, Some((8 * MIB, 1))), 7 * MIB),
            // One of a whole processor, or of nobody knows what.
            ((2, 2 * MIB, Some((480 * MIB, 2))), 12 * MIB),
            ((2, MIB, None), 10 * MIB),
        ];
        let of = |(threads, second, last)| kept_of(threads, second, last);
        let wrong: Vec<_> =
            cases.into_iter().filter(|&(of_what, want)| of(of_what) != want).collect();
        assert!(wrong.is_empty(), "{wrong:?}");
    }
}

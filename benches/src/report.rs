//! What the board says: a table, and the same as JSON.

use crate::case::{ND_BEST, ND_WRITTEN, OURS, ROOFLINE};
use crate::timing::Medians;
use crate::workloads::Group;
use serde_json::{Map, Value as Json, json};
use std::fmt::Write;

/// The best of the peers, as a column of its own.
const BEST_PEER: &str = "best_peer";

/// One line.
#[derive(Clone, Debug)]
pub struct Row {
    /// The workload.
    pub name: String,
    /// What it is bound by.
    pub group: Group,
    /// The least bytes it has to move.
    pub bytes: usize,
    /// Our time, in milliseconds.
    pub ours: f64,
    /// The roofline's, if there is one.
    pub roofline: Option<f64>,
    /// The way of the roofline's kernel that was found to be the best.
    pub way: Option<String>,
    /// The peers'.
    pub peers: Vec<(String, f64)>,
}

impl Row {
    /// A line from the medians of its contestants.
    pub fn new(name: &str, group: Group, bytes: usize, medians: Medians) -> Row {
        let mut row = Row {
            name: name.to_owned(),
            group,
            bytes,
            ours: f64::NAN,
            roofline: None,
            way: None,
            peers: Vec::new(),
        };
        for (contestant, time) in medians {
            match contestant.as_str() {
                OURS => row.ours = time,
                ROOFLINE => row.roofline = Some(time),
                _ => row.peers.push((contestant, time)),
            }
        }
        row
    }

    /// How near we are to the roofline: 1 is there.
    pub fn of_roofline(&self) -> Option<f64> {
        self.ratio(ROOFLINE)
    }

    /// How many times our time a contestant takes.
    pub fn ratio(&self, contestant: &str) -> Option<f64> {
        let time = match contestant {
            ROOFLINE => self.roofline,
            BEST_PEER => self.peers.iter().map(|(_, time)| *time).min_by(f64::total_cmp),
            _ => self.peers.iter().find(|(name, _)| name == contestant).map(|(_, time)| *time),
        };
        time.map(|time| time / self.ours)
    }

    /// The rate at which the least bytes are moved; of a program nobody knows them.
    fn gigabytes_per_second(&self) -> Option<f64> {
        (self.bytes > 0).then(|| self.bytes as f64 / self.ours / 1e6)
    }
}

/// The conditions of a run.
#[derive(Clone, Debug)]
pub struct Conditions {
    /// The threads of each contestant.
    pub threads: usize,
    /// Our instruction set.
    pub isa: String,
    /// The bytes of the last-level cache.
    pub cache: usize,
    /// Whether the arrays were small, so that the figures say little.
    pub quick: bool,
    /// The rounds.
    pub rounds: usize,
    /// The packages of the Python peers, with their versions.
    pub packages: Vec<(String, String)>,
    /// The load average at the start.
    pub load: Option<f64>,
}

/// All lines.
#[derive(Clone, Debug)]
pub struct Board {
    /// The conditions.
    pub conditions: Conditions,
    /// The lines.
    pub rows: Vec<Row>,
}

impl Board {
    /// The peers of any row, in the order in which they first appear, with [`ND_WRITTEN`] and
    /// [`ND_BEST`] first.
    fn peers(&self) -> Vec<&str> {
        let mut names = vec![ND_WRITTEN, ND_BEST];
        for (name, _) in self.rows.iter().flat_map(|row| &row.peers) {
            if !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
        names
    }

    /// The geometric means of the ratios to each contestant, over the rows of a group or over all.
    fn means(&self, group: Option<Group>) -> Vec<(&str, f64)> {
        let contestants = [ROOFLINE, BEST_PEER].into_iter().chain(self.peers());
        let mean = |contestant| {
            let rows = self.rows.iter().filter(|row| group.is_none_or(|group| row.group == group));
            geometric_mean(rows.filter_map(|row| row.ratio(contestant)))
        };
        contestants.filter_map(|name| Some((name, mean(name)?))).collect()
    }

    /// The line of headings.
    pub fn heading(peers: &[&str]) -> String {
        let mut line =
            format!("{:<24} {:>10} {:>10} {:>6} {:>7}", "", "ours", "roofline", "ratio", "GB/s");
        peers
            .iter()
            .for_each(|peer| write!(line, " {:>8}", heading(peer)).expect("strings take all"));
        line
    }

    /// The line of a row: our time, the roofline's, the ratio of the two, the rate for the least
    /// bytes, the peers' times by ours.
    pub fn line(row: &Row, peers: &[&str]) -> String {
        let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
        let mut line = format!(
            "{:<24} {:>10} {:>10} {:>6} {:>7}",
            row.name,
            duration(row.ours),
            or_dash(row.roofline.map(duration)),
            or_dash(row.of_roofline().map(|ratio| format!("{ratio:.2}"))),
            or_dash(row.gigabytes_per_second().map(|rate| format!("{rate:.1}"))),
        );
        for peer in peers {
            let cell = or_dash(row.ratio(peer).map(|ratio| format!("{ratio:.2}x")));
            write!(line, " {cell:>8}").expect("strings take all");
        }
        line
    }

    /// What is said after the table: the geometric means, and what is not good enough.
    pub fn summary(&self) -> String {
        let mut text = String::from("geometric means of the others' times by ours\n");
        let peers = self.peers();
        write!(text, "{:<24} {:>8} {:>9}", "", "roofline", "best peer").expect("strings take all");
        peers
            .iter()
            .for_each(|peer| write!(text, " {:>8}", heading(peer)).expect("strings take all"));
        text.push('\n');
        for group in std::iter::once(None).chain(Group::ALL.map(Some)) {
            let means = self.means(group);
            if means.is_empty() {
                continue;
            }
            let cell = |name: &str| {
                let mean = means.iter().find(|(other, _)| *other == name);
                mean.map_or_else(|| "-".to_owned(), |(_, mean)| format!("{mean:.2}"))
            };
            let (roofline, best) = (cell(ROOFLINE), cell(BEST_PEER));
            write!(text, "{:<24} {roofline:>8} {best:>9}", group.map_or("all", Group::name))
                .expect("strings take all");
            peers
                .iter()
                .for_each(|peer| write!(text, " {:>8}", cell(peer)).expect("strings take all"));
            text.push('\n');
        }
        let list = |what: &str, names: Vec<String>| match names.len() {
            0 => String::new(),
            n => format!("\n{what} ({n}): {}\n", names.join(", ")),
        };
        let slower = |row: &&Row| row.ratio(BEST_PEER).is_some_and(|ratio| ratio < 1.0);
        let far = |row: &&Row| {
            matches!(row.group, Group::Large | Group::Shape)
                && row.of_roofline().is_some_and(|ratio| ratio < 0.9)
        };
        let named = |row: &Row, contestant: &str| {
            format!("{} {:.2}", row.name, row.ratio(contestant).unwrap_or(f64::NAN))
        };
        let best = |row: &Row| named(row, BEST_PEER);
        text +=
            &list("slower than the best peer", self.rows.iter().filter(slower).map(best).collect());
        let roofline = |row: &Row| named(row, ROOFLINE);
        text += &list(
            "below 0.9 of the roofline",
            self.rows.iter().filter(far).map(roofline).collect(),
        );
        // Then it is none.
        let beyond = |row: &&Row| {
            row.group != Group::Small && row.of_roofline().is_some_and(|ratio| ratio > 1.05)
        };
        text += &list(
            "above 1.05 of the roofline",
            self.rows.iter().filter(beyond).map(roofline).collect(),
        );
        text
    }

    /// Everything.
    pub fn json(&self) -> Json {
        let object = |pairs: Vec<(&str, f64)>| -> Json {
            pairs
                .into_iter()
                .map(|(name, value)| (name.to_owned(), json!(value)))
                .collect::<Map<_, _>>()
                .into()
        };
        let workload = |row: &Row| {
            json!({
                "name": row.name,
                "group": row.group.name(),
                "ours_ms": row.ours,
                "roofline_ms": row.roofline,
                "roofline_way": row.way,
                "bytes": row.bytes,
                "peers": object(row.peers.iter().map(|(name, time)| (name.as_str(), *time)).collect()),
            })
        };
        let conditions = &self.conditions;
        json!({
            "workloads": self.rows.iter().map(workload).collect::<Vec<_>>(),
            "geomeans": object(self.means(None)),
            "geomeans_by_group": Group::ALL
                .iter()
                .map(|&group| (group.name().to_owned(), object(self.means(Some(group)))))
                .collect::<Map<_, _>>(),
            "conditions": {
                "threads": conditions.threads,
                "isa": conditions.isa,
                "last_level_cache_bytes": conditions.cache,
                "quick": conditions.quick,
                "rounds": conditions.rounds,
                "load_average": conditions.load,
                "packages": conditions
                    .packages
                    .iter()
                    .map(|(name, version)| (name.clone(), json!(version)))
                    .collect::<Map<_, _>>(),
            },
        })
    }
}

/// A peer's name, short enough for a column.
fn heading(peer: &str) -> &str {
    match peer {
        ND_WRITTEN => "nd as w.",
        ND_BEST => "nd best",
        _ => peer,
    }
}

/// Milliseconds with a unit that suits them.
fn duration(ms: f64) -> String {
    match ms {
        ms if ms >= 0.1 => format!("{ms:.2} ms"),
        ms if ms >= 1e-4 => format!("{:.2} us", ms * 1e3),
        ms => format!("{:.1} ns", ms * 1e6),
    }
}

/// `None` of nothing.
fn geometric_mean(ratios: impl Iterator<Item = f64>) -> Option<f64> {
    let (count, sum) = ratios.fold((0, 0.0), |(count, sum), ratio| (count + 1, sum + ratio.ln()));
    (count > 0).then(|| (sum / f64::from(count)).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board() -> Board {
        let medians = |ours: f64, written: f64, best: f64| {
            [(OURS, ours), (ROOFLINE, 1.0), (ND_WRITTEN, written), (ND_BEST, best)]
                .map(|(name, time)| (name.to_owned(), time))
                .to_vec()
        };
        Board {
            conditions: Conditions {
                threads: 2,
                isa: "none".to_owned(),
                cache: 1,
                quick: true,
                rounds: 1,
                packages: vec![],
                load: None,
            },
            rows: vec![
                Row::new("a", Group::Large, 8_000_000, medians(2.0, 16.0, 4.0)),
                Row::new("b", Group::Small, 4, medians(1.0, 2.0, 0.5)),
            ],
        }
    }

    #[test]
    fn ratios_and_means() {
        let board = board();
        assert_eq!(board.rows[0].of_roofline(), Some(0.5));
        assert_eq!(board.rows[0].gigabytes_per_second(), Some(4.0));
        assert_eq!(board.rows[1].ratio(BEST_PEER), Some(0.5));
        let means = board.means(None);
        let mean = |name| means.iter().find(|(other, _)| *other == name).expect("in all rows").1;
        assert!((mean(ND_WRITTEN) - 4.0).abs() < 1e-9 && (mean(ND_BEST) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn summary_names_what_is_not_good_enough() {
        let summary = board().summary();
        assert!(summary.contains("slower than the best peer (1): b 0.50"), "{summary}");
        assert!(summary.contains("below 0.9 of the roofline (1): a 0.50"), "{summary}");
    }

    #[test]
    fn json_has_the_agreed_names() {
        let json = board().json();
        assert_eq!(json["workloads"][0]["ours_ms"], 2.0);
        assert_eq!(json["workloads"][0]["peers"][ND_BEST], 4.0);
        assert!(json["geomeans"][BEST_PEER].is_number());
    }
}

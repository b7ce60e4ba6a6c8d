//! Reductions on real data: Fisher's irises are summarised, standardised and clustered by k-means,
//! all by broadcasting, and the results compared with those published for them.
//!
//! ```sh
//! cargo run --release -p zerostride --example iris
//! ```

use std::error::Error;
use zerostride::prelude::*;

/// The measurements, a row for each flower, and the species of each.
const DATA: &str = include_str!("data/iris.csv");
const FEATURES: [&str; 4] = ["sepal length", "sepal width", "petal length", "petal width"];
const CLUSTERS: usize = 3;

fn main() -> Result<(), Box<dyn Error>> {
    let (x, species) = read(DATA)?;
    let (flowers, features) = (x.shape()[0], x.shape()[1]);

    println!("{flowers} flowers, in cm   min  max  median   mean     sd");
    let (min, max, median) = (x.min_axis(0)?, x.max_axis(0)?, x.median_axis(0)?);
    let (mean, deviation) = (x.mean_axis(0)?, x.std_axis(0, 1.0)?);
    for (i, name) in FEATURES.iter().enumerate() {
        println!(
            "{name:20} {:5.1} {:4.1} {:7.2} {:6.3} {:6.3}",
            min[[i]],
            max[[i]],
            median[[i]],
            mean[[i]],
            deviation[[i]]
        );
    }
    // As in the description that scikit-learn gives with the data, and in more digits from NumPy
    // 2.4.
    near("min", &min, [4.3, 2.0, 1.0, 0.1])?;
    near("max", &max, [7.9, 4.4, 6.9, 2.5])?;
    near("median", &median, [5.8, 3.0, 4.35, 1.3])?;
    near("mean", &mean, [5.843_333_33, 3.057_333_33, 3.758, 1.199_333_33])?;
    near("sd", &deviation, [0.828_066_13, 0.435_866_28, 1.765_298_23, 0.762_237_67])?;

    // In one pass, with the means and deviations kept as rows.
    let z = ((&x - x.mean_axis(keep(0))?) / x.std_axis(keep(0), 0.0)?).eval()?;
    let correlation = z.t().dot(&(&z / flowers as f64).eval()?)?;
    println!("\ncorrelation\n{correlation:.2}");

    // The same answer as scikit-learn's KMeans gives for the measurements as they are.
    let raw = k_means(&x, [0, 50, 100])?;
    println!(
        "\nclusters of the measurements: {:?}, inertia {:.6}",
        raw.sizes.to_vec(),
        raw.inertia
    );
    near("inertia", &array![raw.inertia], [78.851_441_426_146])?;
    assert_eq!(raw.sizes.to_vec(), [50, 62, 38]);

    // Standardised, there are several local optima: the best of all starts with one flower of each
    // species.
    let starts = (0..50).map(|i| k_means(&z, [i, 50 + i, 100 + i]));
    let best = starts
        .collect::<Result<Vec<_>, _>>()?
        .into_iter()
        .min_by(|a, b| a.inertia.total_cmp(&b.inertia));
    let best = best.ok_or("no start")?;
    println!(
        "clusters, standardised:       {:?}, inertia {:.6}",
        best.sizes.to_vec(),
        best.inertia
    );
    near("inertia", &array![best.inertia], [139.820_496_359_75])?;

    // Who is where: a table of species by cluster.
    let table = one_hot(&species)?.t().dot(one_hot(&best.labels)?)?;
    println!("\nspecies by cluster\n{table}");
    assert_eq!(table.sum_axis(1)?.to_vec(), [50.0; CLUSTERS]);
    assert_eq!(features, FEATURES.len());
    Ok(())
}

/// Where k-means has come to.
struct Clusters {
    /// The cluster of each row.
    labels: Array1<usize>,
    /// The rows of each cluster.
    sizes: Array1<usize>,
    /// The sum of the squared distances of all rows from the centres of their clusters.
    inertia: f64,
}

/// Lloyd's algorithm, from these rows as centres.
fn k_means(x: &Array2<f64>, start: [usize; CLUSTERS]) -> Result<Clusters, zerostride::Error> {
    let mut centres = Array2::from_fn([CLUSTERS, x.shape()[1]], |[i, j]| x[[start[i], j]]);
    loop {
        // [rows, 1, features] - [1, clusters, features]: no array of that size is made, only its
        // sums.
        let distances = (x.insert_axis(1)? - centres.insert_axis(0)?).square().sum_axis(2)?;
        let labels = distances.argmin_axis(1)?;
        let members = one_hot(&labels)?;
        let sizes = members.count_nonzero_axis(0)?;
        let sums = members.t().dot(x)?;
        let next = (&sums / sizes.insert_axis(1)?.cast::<f64>()).eval()?;
        if next == centres {
            return Ok(Clusters { labels, sizes, inertia: distances.min_axis(1)?.sum()? });
        }
        centres = next;
    }
}

/// A row for each label: 1 in its column, 0 in the others.
fn one_hot(labels: &Array1<usize>) -> Result<Array2<f64>, zerostride::Error> {
    let numbers = Array1::from_fn(CLUSTERS, |[i]| i);
    labels.insert_axis(1)?.equal(numbers.insert_axis(0)?).cast::<f64>().eval()
}

/// The numbers of the file.
fn read(text: &str) -> Result<(Array2<f64>, Array1<usize>), Box<dyn Error>> {
    let mut numbers = Vec::new();
    for line in text.lines().skip(1) {
        for number in line.split(',') {
            numbers.push(number.parse::<f64>()?);
        }
    }
    let table = Array1::from_vec(numbers).reshape([150, 5])?.to_owned();
    let species = table.slice(s![.., 4])?.cast::<usize>().eval()?;
    Ok((table.slice(s![.., ..4])?.to_owned(), species))
}

/// Refuses numbers that are not those published.
fn near<const N: usize>(
    what: &str,
    got: &Array1<f64>,
    published: [f64; N],
) -> Result<(), Box<dyn Error>> {
    let published = Array1::from_vec(published.to_vec());
    match (got - &published).norm_max()? {
        off if off < 1e-7 => Ok(()),
        off => Err(format!("{what}: {got} is off by {off} from {published}").into()),
    }
}

#[test]
fn the_figures_are_those_published() {
    main().unwrap();
}

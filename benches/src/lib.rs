//! Benchmarks of zerostride against its peers, which are dependencies of this package only.

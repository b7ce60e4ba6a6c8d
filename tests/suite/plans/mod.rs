//! Plans: their texts, that they change no bit, what is computed before the rest, and the options
//! they obey.

mod apart;
mod bands;
mod bits;
mod closures;
mod compiled;
mod computed;
mod copies;
mod down;
mod few;
mod hoisting;
mod install;
mod lines;
mod near;
mod pairs;
mod parts;
mod repeats;
mod slabs;
mod stacked;
mod strides;
mod table;
mod totals;
mod windows;
mod without;

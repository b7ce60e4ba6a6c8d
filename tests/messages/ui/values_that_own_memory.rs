use zerostride::prelude::*;

fn main() {
    let names = array![["a".to_string()], ["b".to_string()]];
    let _ = &names + &names;
    let _ = zerostride::concatenate(0, &[names.view()]);
    let _ = array![1.0, 2.0].map(|x| x.to_string());
}

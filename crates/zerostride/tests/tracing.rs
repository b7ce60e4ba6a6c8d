//! Spans around plans and passes: their names, shapes, bytes and paths, as a subscriber sees them.

use std::fmt::{Debug, Write};
use std::sync::{Arc, Mutex};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};
use zerostride::prelude::*;

/// Writes down what spans say of themselves, and when they end.
#[derive(Clone, Default)]
struct Notes(Arc<Mutex<Vec<String>>>);

struct Fields(String);

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        write!(self.0, " {}={value:?}", field.name()).unwrap();
    }
}

impl Notes {
    fn note(&self, text: String) {
        self.0.lock().unwrap().push(text);
    }
}

impl Subscriber for Notes {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "zerostride"
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut fields = Fields(span.metadata().name().to_owned());
        span.record(&mut fields);
        self.note(fields.0);
        Id::from_u64(self.0.lock().unwrap().len() as u64)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, _: &Event<'_>) {}
    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {
        self.note("end".to_owned());
    }
}

/// What is said while `work` runs.
fn said(work: impl FnOnce()) -> Vec<String> {
    let notes = Notes::default();
    tracing::subscriber::with_default(notes.clone(), work);
    std::mem::take(&mut *notes.0.lock().unwrap())
}

#[test]
fn plans_and_passes_have_spans() {
    let x = Array2::<f32>::ones([300, 4000]);
    let (y, v) = (Array2::<f32>::ones([4000, 300]), Array1::<f32>::ones(300));
    let serial = zerostride::Exec::new().parallel(false);

    let transposed = said(|| drop(serial.install(|| (&x + y.t()).eval()).unwrap()));
    // 300 x 4000 of four bytes, read twice and written.
    let bytes = 4 * 3 * 300 * 4000;
    assert_eq!(transposed.len(), 4, "{transposed:?}");
    assert_eq!(transposed[0], "plan shape=[300, 4000] operands=2");
    assert_eq!((&transposed[1][..], &transposed[3][..]), ("end", "end"));
    let run = &transposed[2];
    assert!(run.starts_with("run path=") && run.contains("loops=[300, 4000]"), "{run}");
    assert!(run.contains(&format!("bytes={bytes} tasks=1")), "{run}");

    let sums = said(|| drop(serial.install(|| (&x + y.t()).sum_axis(1)).unwrap()));
    // Some rows at a time, each of which has a pass.
    assert!(sums[0].starts_with("plan ") && sums[0].ends_with(" operands=2"), "{sums:?}");
    assert!(sums.iter().any(|span| span.starts_with("run path=")), "{sums:?}");

    // Some rows at a time, without a plan, of no more than 4 MiB; the bytes are those of the result.
    let (x, y) = (Array2::<f32>::ones([300, 400]), Array2::<f32>::ones([400, 300]));
    let bands = [r#"run path="Bands" shape=[300, 400] bytes=480000 tasks=1"#, "end"];
    assert_eq!(said(|| drop(serial.install(|| (&x + y.t()).eval()).unwrap())), bands);
    let mut out = Array2::<f32>::zeros([300, 400]);
    assert_eq!(said(|| serial.install(|| out.assign(&x + y.t())).unwrap()), bands);

    let reduced = said(|| drop(serial.install(|| x.sum_axis(1)).unwrap()));
    let one_run = r#"run path="OneRun" shape=[300, 400] bytes=480000 tasks=1"#;
    assert_eq!(reduced, [one_run, "end"]);
    let sums = said(|| drop(serial.install(|| (&x + y.t()).sum_axis(1)).unwrap()));
    assert_eq!(sums, [bands[0], "end", one_run, "end"]);

    // What fails, ends its spans too; what is refused has none.
    let refused = said(|| assert!((&x + v.along([1])).eval().is_err()));
    assert!(refused.is_empty(), "{refused:?}");

    // Few elements are computed before a span could begin.
    let few = said(|| drop((&v + 1.0).eval().unwrap()));
    assert!(few.is_empty(), "{few:?}");
}

/// Which way is taken shows in the spans alone: results are the same by all of them.
#[test]
fn ways_are_chosen() {
    let serial = zerostride::Exec::new().parallel(false);
    let spans = |exec: &zerostride::Exec, work: &dyn Fn()| said(|| exec.install(work));
    let count = |spans: &[String], word: &str| spans.iter().filter(|s| s.contains(word)).count();

    // 64 KiB that lie otherwise are copied and reduced without a plan; no more than that.
    for (rows, plans) in [(128, 0), (129, 1)] {
        let x = Array2::<f32>::ones([rows, 256]);
        let x = x.slice(s![.., ..;2]).unwrap();
        let sums = spans(&serial, &|| drop(x.sum_axis(0).unwrap()));
        assert_eq!(count(&sums, "plan"), plans, "{rows} rows: {sums:?}");
    }

    // A slab goes past the cache if the whole result does: 480,000 bytes read, as many written.
    let x = Array2::<f32>::ones([40, 3000]);
    for (cache, streams) in [(959_999, true), (960_000, false)] {
        let all = spans(&serial.cache(cache), &|| drop(x.softmax(0).unwrap()));
        assert_eq!(count(&all, "streamed=true") > 0, streams, "cache of {cache}: {all:?}");
    }

    // Slabs of 256 KiB, one after the other by the calling thread, whose spans these are.
    let x = Array2::<f32>::ones([300, 3000]);
    let all = spans(&serial, &|| drop(x.softmax(0).unwrap()));
    assert!(count(&all, "plan") > 14, "{all:?}");
}

//! From a file to an application that answers requests: compiled, its setup run, frozen.

use super::signals::Endable;
use crate::commands::run::{host, print_findings};
use crate::program::{Files, Prepared, Problem, prepare_from};
use crate::registry;
use crate::report::exit_code;
use crate::serve::watch::Watch;
use compiler::Reader;
use std::cell::RefCell;
use std::path::Path;
use std::sync::Arc;
use vm::{Image, Isolate, Output};
use web::{Application, Setup};

/// How the run of a program's top level has ended.
#[derive(Debug)]
pub(crate) enum Started {
    /// It answers requests.
    Application(Arc<Application>),
    /// It has ended normally and registered nothing that answers requests.
    NoRoutes,
    /// It has ended by itself or has an error, which has been printed; the process would exit with this code.
    Ended(u8),
}

/// An attempt to load a program.
#[derive(Debug)]
pub(crate) struct Attempt {
    pub(crate) result: Result<Started, Problem>,
    /// All files that were looked for, also those that were not there.
    pub(crate) files: Watch,
}

/// Remembers what is read, as it was before it was read: an edit while the program is loaded must not be missed.
struct Recorder(RefCell<Watch>);

impl Reader for Recorder {
    fn read(&self, path: &Path) -> Result<String, String> {
        self.0.borrow_mut().see(path);
        Files.read(path)
    }
}

/// Compiles a program and runs its top level with these arguments. `is_site` says that it answers requests even if it registers
/// nothing for them.
pub(crate) fn load(file: &Path, args: Vec<String>, max_depth: usize, is_site: bool) -> Attempt {
    let recorder = Recorder(RefCell::default());
    let result = start(file, &recorder, args, max_depth, is_site);
    Attempt { result, files: recorder.0.into_inner() }
}

fn start(
    file: &Path,
    reader: &dyn Reader,
    args: Vec<String>,
    max_depth: usize,
    is_site: bool,
) -> Result<Started, Problem> {
    let registry = registry();
    let Prepared { loaded, program, diagnostics, .. } = prepare_from(file, reader, &registry)?;
    print_findings(&loaded, &diagnostics);
    let Some(program) = program else { return Ok(Started::Ended(1)) };
    let image = Image::link(program, &registry).map_err(Problem::Internal)?;
    let output = Output::to(Box::new(std::io::stdout()));
    let mut isolate = Isolate::with_image(image, registry, Arc::new(host(file, args)), output);
    isolate.set_max_depth(max_depth);
    Setup::begin(&mut isolate);
    let endable = Endable::new(isolate.interrupter());
    let result = isolate.run_main();
    drop(endable);
    isolate.output().flush();
    let setup = Setup::take(&mut isolate);
    if result.is_err() {
        return Ok(Started::Ended(exit_code(result, &loaded.sources, &diagnostics)));
    }
    let Some(setup) = setup.filter(|setup| setup.has_routes() || is_site) else { return Ok(Started::NoRoutes) };
    for warning in setup.warnings() {
        eprintln!("warning: {warning}");
    }
    let (sources, diagnostics) = (Arc::new(loaded.sources), Arc::new(diagnostics));
    Ok(Started::Application(Application::freeze(isolate, *setup, sources, diagnostics)))
}

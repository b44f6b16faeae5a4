//! The examples in README.md and docs/ run, and print what they say.
//!
//! A fenced block marked `look` is a program. What stands after `// ` on a line that prints is what the line prints. A block
//! marked `look,error` must fail; one marked `look,fragment` is not run.

use libtest_mimic::{Arguments, Failed, Trial};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

struct Example {
    name: String,
    fails: bool,
    text: String,
}

fn main() -> ExitCode {
    let args = Arguments::from_args();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut pages = vec![root.join("README.md")];
    if let Ok(entries) = std::fs::read_dir(root.join("docs")) {
        pages.extend(entries.filter_map(|entry| Some(entry.ok()?.path())));
    }
    // The reference of builtins is made from their declarations, whose examples have a test of their own.
    pages.retain(|page| page.extension().is_some_and(|kind| kind == "md") && !page.ends_with("builtins.md"));
    pages.sort();
    let examples: Vec<Example> = pages.iter().flat_map(|page| read_examples(page)).collect();
    if examples.len() < 20 {
        eprintln!("error: only {} examples found", examples.len());
        return ExitCode::FAILURE;
    }
    let trial = |example: Example| Trial::test(example.name.clone(), move || check(&example));
    libtest_mimic::run(&args, examples.into_iter().map(trial).collect()).exit_code()
}

fn read_examples(page: &Path) -> Vec<Example> {
    let text = std::fs::read_to_string(page).unwrap_or_default();
    let file = page.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut examples = Vec::new();
    let mut lines = text.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        let Some(kind) = line.trim().strip_prefix("```look") else { continue };
        let body: Vec<&str> = lines.by_ref().map(|(_, line)| line).take_while(|line| line.trim() != "```").collect();
        if kind != ",fragment" {
            let name = format!("{file}:{}", number + 1);
            examples.push(Example { name, fails: kind == ",error", text: body.join("\n") });
        }
    }
    examples
}

fn check(example: &Example) -> Result<(), Failed> {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("docs").join(example.name.replace([':', '.'], "-"));
    std::fs::create_dir_all(&folder)?;
    let file = folder.join("example.lk");
    let result = test_support::run_example(env!("CARGO_BIN_EXE_gander"), &example.text, &file);
    if example.fails {
        let failed = result.is_err_and(|error| error.ends_with("(exit status: 1)"));
        return if failed { Ok(()) } else { Err("should fail with exit status 1".into()) };
    }
    let printed = result.map_err(|error| format!("{}\n{error}", example.text))?;
    let prints: Vec<&str> = example.text.lines().filter(|line| line.contains("print(")).collect();
    let stated: Vec<&str> = prints.iter().filter_map(|line| line.rsplit_once("// ").map(|(_, text)| text)).collect();
    let lines: Vec<&str> = printed.lines().collect();
    // Where some prints state nothing, the others must still appear in order.
    let mut rest = lines.iter();
    let missing = stated.iter().find(|text| !rest.any(|line| line.trim_end() == text.trim_end()));
    match missing {
        Some(text) => {
            Err(format!("{}\n--- printed\n{printed}--- does not print in this order: {text}", example.text).into())
        }
        None if stated.len() == prints.len() && lines.len() != stated.len() && !example.text.contains("foreach") => {
            let message = format!("{}\n--- printed\n{printed}--- states {} lines", example.text, stated.len());
            Err(message.into())
        }
        None => Ok(()),
    }
}

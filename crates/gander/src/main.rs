//! The `gander` command.

/// Counts what each thread takes, so that a request can be held to its limit.
#[global_allocator]
static MEMORY: vm::memory::Counting = vm::memory::Counting;

fn main() -> std::process::ExitCode {
    gander::main()
}

//! The `gander` command.

fn main() -> std::process::ExitCode {
    gander::main()
}

//! Settings as an operator meets them: from flags and the environment, and what is said about those that do not fit.

use std::path::PathBuf;
use std::process::Command;
use test_support::Server;

const GANDER: &str = env!("CARGO_BIN_EXE_gander");

fn program(name: &str) -> PathBuf {
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("settings-{name}.lk"));
    std::fs::write(&file, "route(\"GET\", \"/\", function() { return \"hello\"; })\n").expect("the folder takes files");
    file
}

/// What a server says that does not come up.
fn refused(arguments: &[&str], variables: &[(&str, &str)]) -> String {
    let mut command = Command::new(GANDER);
    command.arg("serve").args(arguments).arg(program("refused")).envs(variables.iter().copied());
    Server::run(command).expect_err("it does not start")
}

#[test]
fn values_that_do_not_fit_end_the_start() {
    assert_eq!(
        refused(&["--grace", "10"], &[("GANDER_MAX_BODY", "lots")]),
        "error: --grace: '10' is no time; write it with its unit: 500ms, 30s, 2m\n\
         error: GANDER_MAX_BODY: 'lots' is no size; write bytes, or 64k, 10m, 1g\n(exit status: 2)"
    );
    assert_eq!(
        refused(&["--tls-listen", "127.0.0.1:0"], &[]),
        "error: --tls-listen needs a certificate: give --tls-cert FILE and --tls-key FILE\n(exit status: 2)"
    );
    assert_eq!(
        refused(&["--max-headers", "1000"], &[]),
        "error: --max-headers: '1000' is too large; 128 is the most\n(exit status: 2)"
    );
}

#[test]
fn the_environment_counts_and_its_slips_are_told() {
    let mut command = Command::new(GANDER);
    command.args(["run"]).arg(program("environment"));
    command.envs([("GANDER_LISTEN", "127.0.0.1:0"), ("LOOK_HEALTH_PATH", "/alive"), ("GANDER_REQUEST_TIMOUT", "1s")]);
    let server = Server::run(command).expect("the server starts");
    assert_eq!(server.get("/alive").status, 200);
    assert_eq!(server.get("/health").status, 404);
    let told = server.told();
    let expected = "warning: the environment has GANDER_REQUEST_TIMOUT, which is no setting (did you mean GANDER_REQUEST_TIMEOUT?)";
    assert!(told.contains(expected), "{told}");
}

#[test]
fn limits_from_flags_reach_the_connections() {
    let server = Server::start(GANDER, &["--max-request-line", "64", "--health-path=off"], &program("limits"));
    let server = server.expect("the server starts");
    assert_eq!(server.get("/").status, 200);
    assert_eq!(server.get(&format!("/{}", "x".repeat(100))).status, 414);
    assert_eq!(server.get("/health").status, 404);
}

//! The settings of a server: from flags, then from the environment, then their defaults.

mod table;
mod value;

pub(crate) use table::reference;

use crate::serve::Life;
use clap::{Arg, ArgAction, ArgMatches, Command};
use source::did_you_mean;
use std::collections::HashMap;
use std::io::IsTerminal;
use table::{SETTINGS, Setting, Takes};

/// In front of a setting's name in the environment.
const PREFIX: &str = "GANDER_";

/// What the command line says about settings: a list of values for each name that is given.
#[derive(Clone, Default, Debug)]
pub(crate) struct Flags(HashMap<&'static str, Vec<String>>);

impl Flags {
    /// What a server is started with, if these flags and the process's environment say so. Prints what the operator has to know;
    /// without a result that is why there is none.
    pub(crate) fn settle(&self) -> Option<Life> {
        // A value that is no text is told as one that does not fit.
        let lookup = |name: &str| Some(std::env::var_os(name)?.to_string_lossy().into_owned());
        match self.resolve(&lookup, std::io::stderr().is_terminal()) {
            Ok(life) => {
                near_misses().iter().for_each(|warning| eprintln!("warning: {warning}"));
                Some(life)
            }
            Err(problems) => {
                problems.iter().for_each(|problem| eprintln!("error: {problem}"));
                None
            }
        }
    }

    /// What these flags and an environment make. An empty variable counts as one that is not there.
    ///
    /// # Errors
    /// All values that do not fit, each with where it comes from.
    fn resolve(&self, environment: &dyn Fn(&str) -> Option<String>, at_terminal: bool) -> Result<Life, Vec<String>> {
        let mut life = Life::default();
        let mut problems = Vec::new();
        let mut given = Vec::new();
        for setting in SETTINGS {
            let Some((source, values)) = self.find(setting, environment) else { continue };
            let values: Vec<&str> = values.iter().map(|value| value.trim()).collect();
            given.push(setting.name);
            if let Err(what) = setting.set(&mut life, &values) {
                problems.push(format!("{source}: {what}"));
            }
        }
        let is_given = |name: &str| given.contains(&name);
        if !is_given("dev") {
            life.options.dev = at_terminal;
        }
        if !is_given("watch") {
            life.watch = life.options.dev;
        }
        if is_given("tls-listen") && !is_given("listen") {
            life.options.addresses.clear();
        }
        if problems.is_empty() {
            problems.extend(misfits(&life).map(str::to_owned));
        }
        if problems.is_empty() { Ok(life) } else { Err(problems) }
    }

    /// The values of a setting and the name under which they were given: the flag's before the environment's.
    fn find(&self, setting: &Setting, environment: &dyn Fn(&str) -> Option<String>) -> Option<(String, Vec<String>)> {
        if let Some(values) = self.0.get(setting.name) {
            return Some((format!("--{}", setting.name), values.clone()));
        }
        let names = [Some(setting.variable()), setting.alias.map(str::to_owned)];
        names.into_iter().flatten().find_map(|name| {
            let text = environment(&name).filter(|text| !text.trim().is_empty())?;
            let values = match setting.kind.takes() {
                Takes::List => text.split(',').map(str::to_owned).collect(),
                Takes::One | Takes::Switch => vec![text],
            };
            Some((name, values))
        })
    }
}

/// What does not fit together.
fn misfits(life: &Life) -> Option<&'static str> {
    let is_secure = !life.options.secure_addresses.is_empty();
    match &life.options.certificate {
        None if is_secure => Some("--tls-listen needs a certificate: give --tls-cert FILE and --tls-key FILE"),
        Some((certificate, _)) if certificate.as_os_str().is_empty() => {
            Some("--tls-key needs --tls-cert FILE beside it")
        }
        Some((_, key)) if key.as_os_str().is_empty() => Some("--tls-cert needs --tls-key FILE beside it"),
        Some(_) if !is_secure => Some("--tls-cert needs an address for HTTPS: give --tls-listen ADDRESS"),
        _ => None,
    }
}

/// Variables of the environment that look like a setting but are none, each as a warning.
fn near_misses() -> Vec<String> {
    let variables: Vec<String> = SETTINGS.iter().map(Setting::variable).collect();
    let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    let unknown = names.filter(|name| name.starts_with(PREFIX) && !variables.contains(name));
    let warn = |name: String| {
        let near = did_you_mean(&name, variables.iter().map(String::as_str))?;
        Some(format!("the environment has {name}, which is no setting (did you mean {near}?)"))
    };
    unknown.filter_map(warn).collect()
}

impl clap::FromArgMatches for Flags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut flags = Self::default();
        flags.update_from_arg_matches(matches)?;
        Ok(flags)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        for setting in SETTINGS {
            if let Some(values) = matches.get_many::<String>(setting.name) {
                self.0.insert(setting.name, values.cloned().collect());
            }
        }
        Ok(())
    }
}

impl clap::Args for Flags {
    fn augment_args(command: Command) -> Command {
        command.args(SETTINGS.iter().map(argument)).after_help(
            "Each setting may also stand in the environment: --request-timeout as GANDER_REQUEST_TIMEOUT. A flag counts first.\n\
             Times are written 100us, 500ms, 30s, 2m or 1h; sizes in bytes, or 64k, 10m, 1g.",
        )
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

/// A setting as an argument of the command line.
fn argument(setting: &Setting) -> Arg {
    let argument = Arg::new(setting.name)
        .long(setting.name)
        .value_name(setting.kind.value_name())
        .help_heading(setting.group)
        .help(format!("{} [default: {}]", setting.help, setting.default()));
    match setting.kind.takes() {
        Takes::One => argument.overrides_with(setting.name),
        Takes::List => argument.action(ArgAction::Append).value_delimiter(','),
        Takes::Switch => {
            argument.overrides_with(setting.name).num_args(0..=1).require_equals(true).default_missing_value("on")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::table::Kind;
    use super::*;
    use std::time::Duration;

    fn resolved(flags: &[(&'static str, &str)], variables: &[(&str, &str)]) -> Result<Life, String> {
        let flags = flags.iter().map(|(name, value)| (*name, vec![(*value).to_owned()]));
        let lookup =
            |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
        let life = Flags(flags.collect()).resolve(&lookup, false);
        life.map_err(|problems| problems.join("\n"))
    }

    #[test]
    fn a_flag_counts_before_the_environment_and_its_own_name_before_the_older_one() {
        let time = |flags: &[_], variables: &[_]| resolved(flags, variables).map(|life| life.options.request_time);
        assert_eq!(time(&[], &[]), Ok(Duration::from_secs(30)));
        let variables = [("GANDER_REQUEST_TIMEOUT", "2m")];
        assert_eq!(time(&[], &variables), Ok(Duration::from_secs(120)));
        assert_eq!(time(&[("request-timeout", "500ms")], &variables), Ok(Duration::from_millis(500)));
        let path = |variables: &[_]| resolved(&[], variables).map(|life| life.options.health_path);
        assert_eq!(path(&[("LOOK_HEALTH_PATH", "/old")]).as_deref(), Ok("/old"));
        assert_eq!(path(&[("LOOK_HEALTH_PATH", "/old"), ("GANDER_HEALTH_PATH", "/new")]).as_deref(), Ok("/new"));
        assert_eq!(path(&[("GANDER_HEALTH_PATH", " ")]).as_deref(), Ok("/health"));
        assert_eq!(path(&[("GANDER_HEALTH_PATH", "off")]).as_deref(), Ok(""));
    }

    #[test]
    fn every_problem_is_told_with_its_source() {
        let variables = [("GANDER_REQUEST_TIMEOUT", "30"), ("GANDER_TRUSTED_PROXIES", "10.0.0.1,x")];
        let told = resolved(&[("workers", "many")], &variables).expect_err("three problems");
        let expected = "GANDER_TRUSTED_PROXIES: 'x' is no address and no network; write 10.0.0.1 or 10.0.0.0/8\n\
            --workers: 'many' is no number\n\
            GANDER_REQUEST_TIMEOUT: '30' is no time; write it with its unit: 500ms, 30s, 2m";
        assert_eq!(told, expected);
    }

    #[test]
    fn what_belongs_together_is_asked_for_together() {
        let tls = ("tls-listen", "127.0.0.1:8443");
        let told = resolved(&[tls], &[]).expect_err("no certificate");
        assert!(told.contains("--tls-cert FILE"), "{told}");
        let told = resolved(&[("tls-cert", "a")], &[]).expect_err("no key");
        assert!(told.contains("--tls-key FILE"), "{told}");
        let life = resolved(&[tls, ("tls-cert", "a"), ("tls-key", "b")], &[]).expect("settings that fit");
        assert!(life.options.addresses.is_empty(), "HTTP was not asked for");
        let life =
            resolved(&[tls, ("tls-cert", "a"), ("tls-key", "b"), ("listen", "80")], &[]).expect("settings that fit");
        assert_eq!(life.options.addresses.len(), 1);
    }

    #[test]
    fn development_includes_watching_unless_told_otherwise() {
        let both = |flags: &[_]| resolved(flags, &[]).map(|life| (life.options.dev, life.watch));
        assert_eq!(both(&[("dev", "on")]), Ok((true, true)));
        assert_eq!(both(&[("dev", "off")]), Ok((false, false)));
        assert_eq!(both(&[("dev", "on"), ("watch", "off")]), Ok((true, false)));
        let at_terminal = Flags::default().resolve(&|_| None, true).expect("defaults fit");
        assert!(at_terminal.options.dev && at_terminal.watch);
    }

    #[test]
    fn the_default_of_each_setting_is_a_value_it_takes() {
        let has_value = |setting: &&Setting| !matches!(setting.kind, Kind::Own { .. } | Kind::Switch(Some(_), _));
        for setting in SETTINGS.iter().filter(has_value) {
            let set = setting.set(&mut Life::default(), &[&setting.default()]);
            assert_eq!(set, Ok(()), "--{}", setting.name);
        }
    }
}

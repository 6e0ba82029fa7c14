//! The names the program goes by, its version, completions and manual.

use std::process::Command;

use expect_test::expect;

use crate::program::{BINARY, Folder, shown};

#[test]
fn links_make_the_program_act_by_the_name_it_is_called_by() {
    let folder = Folder::new();
    let links = folder.join("bin").display().to_string();
    let first = folder.run(&["links", &links]);
    assert!(first.starts_with("exit 0\n") && first.contains("out: DIR/bin/runmqsc\n"), "{first}");
    assert_eq!(folder.run(&["links", &links]), first, "a second time changes nothing");
    let called = |name: &str| {
        let output = Command::new(folder.join("bin").join(name)).env("QUAYMASTER_DATA", folder.path()).output();
        folder.filtered(&shown(&output.expect("the link runs")))
    };
    assert_eq!(called("dspmq"), "exit 0\n");
    assert!(called("dspmqver").contains("out: Name:        Quaymaster\n"));
    assert!(called("runmqsc").starts_with("exit 20\nerr: AMQ8146E"));
    assert!(called("chkmqready").starts_with("exit 1\n"));
    assert!(called("setmqaut").starts_with("exit 147\nerr: AMQ7093E"));
    assert!(called("dspmqaut").starts_with("exit 147\nerr: AMQ7093E"));

    folder.write("other/dspmq", "somebody else's");
    let refused = folder.run(&["links", &folder.join("other").display().to_string()]);
    assert!(refused.contains("DIR/other/dspmq exists and is not a link"), "{refused}");
}

#[test]
fn the_version_is_shown_in_rows_or_as_chosen() {
    let folder = Folder::new();
    expect![[r#"
        exit 0
        out: Quaymaster
        out: VERSION
    "#]]
    .assert_eq(&folder.run(&["dspmqver", "-b", "-f", "3"]));
    let all = folder.run(&["dspmqver"]);
    for row in
        ["Name:        Quaymaster", "BuildType:", "InstName:    Installation1", "DataPath:    DIR", "MaxCmdLevel: 942"]
    {
        assert!(all.contains(row), "{row}: {all}");
    }
    assert_eq!(folder.run(&["--version"]), "exit 0\nout: quaymaster VERSION\n");
}

/// Commands that have a name of their own.
const COMMANDS: [&str; 17] = [
    "dmpmqmsg",
    "runmqdlq",
    "runmqsc",
    "dspmq",
    "dspmqver",
    "dmpmqcfg",
    "crtmqm",
    "dltmqm",
    "strmqm",
    "endmqm",
    "setmqaut",
    "dspmqaut",
    "chkmqstarted",
    "chkmqready",
    "chkmqhealthy",
    "runmqserver",
    "zconbt",
];

#[test]
fn completions_and_the_manual_know_every_command() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish"] {
        let script = folder.run(&["completions", shell]);
        assert!(script.starts_with("exit 0\n"), "{shell}");
        for command in COMMANDS {
            assert!(script.contains(command), "{shell} does not complete {command}");
        }
        assert!(script.contains("runmqtrm"), "{shell} does not complete runmqtrm");
    }
    for command in COMMANDS {
        let page = folder.run(&["man", command]);
        assert!(page.starts_with("exit 0\n") && page.contains(".SH OPTIONS"), "{command}: {page}");
    }
    let page = folder.run(&["man"]);
    assert!(page.starts_with("exit 0\n") && page.contains(".TH quaymaster"), "{page}");
    let page = folder.run(&["man", "serve"]);
    assert!(page.contains("ephemeral"), "{page}");
    let page = folder.run(&["man", "config", "check"]);
    assert!(page.contains(".TH quaymaster-config-check 1") && page.contains(".SH \"EXIT STATUS\""), "{page}");
    assert!(folder.run(&["man", "nonsense"]).starts_with("exit 2\n"));
}

#[test]
fn all_pages_are_written_into_a_folder_nested_ones_and_linked_names_too() {
    let folder = Folder::new();
    let said = folder.run(&["man", "--out", &folder.join("man1").display().to_string()]);
    assert!(said.starts_with("exit 0\n"), "{said}");
    for name in ["quaymaster", "quaymaster-config", "quaymaster-config-check", "quaymaster-copybook-encode"] {
        assert!(folder.read(&format!("man1/{name}.1")).contains(&format!(".TH {name} 1")), "{name}");
    }
    for name in COMMANDS {
        assert_eq!(folder.read(&format!("man1/{name}.1")), format!(".so man1/quaymaster-{name}.1\n"));
        assert!(folder.join(&format!("man1/quaymaster-{name}.1")).exists(), "{name}");
    }
    for (name, command) in [
        ("runmqtrm", "trigger-monitor"),
        ("runmqtmc", "trigger-monitor"),
        ("amqsevt", "events"),
        ("runmqdevserver", "runmqserver"),
    ] {
        assert_eq!(folder.read(&format!("man1/{name}.1")), format!(".so man1/quaymaster-{command}.1\n"));
    }
}

#[test]
fn bash_completes_the_linked_names() {
    let folder = Folder::new();
    let script = "source <(\"$0\" completions bash) && complete -p quaymaster && COMP_WORDS=(runmqsc -) COMP_CWORD=1 && \
                  _runmqsc runmqsc - runmqsc && echo \"${COMPREPLY[*]}\" && complete -p \"$@\"";
    let output = Command::new("bash").args(["-c", script, BINARY]).args(COMMANDS).current_dir(folder.path()).output();
    let said = shown(&output.expect("bash runs"));
    assert!(said.starts_with("exit 0\n"), "{said}");
    assert!(said.contains("-F _runmqsc") && said.contains("-F _dspmq") && said.contains(" -e "), "{said}");
}

#[test]
fn a_licence_variable_is_ignored() {
    let output = Command::new(BINARY).arg("dspmqver").env("LICENSE", "accept").output().expect("runs");
    assert!(output.status.success());
}

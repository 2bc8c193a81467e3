//! Completions and manual pages.

use crate::support::Folder;
use std::process::Command;

#[test]
fn completions_are_printed_for_every_shell() {
    let folder = Folder::new();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let run = folder.run(&format!("completions {shell}")).ok();
        for word in ["ferrovox", "skeleton", "sub-voxel"] {
            assert!(run.stdout.contains(word), "{shell}: {word}");
        }
    }
    assert_eq!(folder.run("completions csh").status, Some(2));
    assert!(folder.content().is_empty());
}

#[test]
fn bash_completes_commands() {
    if !test_cases::has_programs(&["bash"]) {
        return;
    }
    let folder = Folder::new();
    let script = "\"$FERROVOX\" completions bash > c.bash && bash -c '
        source ./c.bash; COMP_WORDS=(ferrovox ske); COMP_CWORD=1; _ferrovox ferrovox ske ferrovox; echo \"${COMPREPLY[@]}\"'";
    if let Some(run) = folder.shell(script) {
        assert_eq!(run.ok().stdout, "skeleton\n");
    }
}

#[test]
fn manual_pages_are_written_for_every_command() {
    let folder = Folder::new();
    folder.run("man-pages pages/man1").ok();
    for page in [
        "ferrovox",
        "ferrovox-mesh",
        "ferrovox-distance",
        "ferrovox-man-pages",
    ] {
        let text = std::fs::read_to_string(folder.path(&format!("pages/man1/{page}.1"))).unwrap();
        assert!(text.contains(".TH"), "{page}");
    }
    let mesh = std::fs::read_to_string(folder.path("pages/man1/ferrovox-mesh.1")).unwrap();
    assert!(mesh.contains("isovalue") && mesh.contains("Examples"));
    // A file in place of the folder.
    folder.file("taken", "");
    folder.run("man-pages taken").refused(&["taken", "folder"]);
    if Command::new("mandoc").arg("-h").output().is_err() {
        test_cases::report_skip(format_args!("no mandoc to check the manual pages"));
    } else {
        let lint = Command::new("mandoc")
            .args(["-T", "lint", "-W", "error"])
            .arg(folder.path("pages/man1/ferrovox-mesh.1"))
            .output()
            .unwrap();
        assert!(
            lint.status.success(),
            "{}",
            String::from_utf8_lossy(&lint.stdout)
        );
    }
}

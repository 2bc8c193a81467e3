//! Completions and manual pages.

use crate::support::Folder;

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

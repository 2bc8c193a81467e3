use super::*;

/// Runs a shell script as if it were a peer's Python script, and returns its records.
fn run_script(script: &str, seconds: u64) -> Vec<Record> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("peer.py"), script).unwrap();
    let common = Common {
        peers: vec!["peer".into()],
        peers_dir: Some(folder.path().to_owned()),
        python: "sh".into(),
        peer_seconds: seconds,
        ..Common::default()
    };
    run_peer_collecting("peer.py", &common)
}

fn run_peer_collecting(script: &'static str, common: &Common) -> Vec<Record> {
    let peer = Peer {
        system: "peer",
        script,
    };
    let mut records = Vec::new();
    let arguments = ["--sizes".to_owned(), "16".to_owned()];
    run("mesh", &[peer], &arguments, common, |record| {
        records.push(record)
    })
    .unwrap();
    records
}

fn only_reason(records: &[Record]) -> &str {
    assert_eq!(records.len(), 1, "{records:?}");
    assert_eq!(
        (records[0].subject.as_str(), records[0].system.as_str()),
        ("mesh", "peer")
    );
    assert_eq!(records[0].median_ms, None);
    records[0].absent.as_deref().unwrap()
}

#[test]
fn records_are_parsed_from_the_output() {
    let script = r#"echo "{\"system\":\"peer\",\"size\":\"$2^3\",\"median_ms\":1.5,\"bytes\":3000000}"; echo"#;
    let found = run_script(script, 60);
    assert_eq!(found.len(), 1);
    assert_eq!(
        (found[0].size.as_str(), found[0].gb_per_s),
        ("16^3", Some(2.0))
    );
}

#[test]
fn the_last_error_line_of_a_failing_script_is_reported() {
    let found = run_script("echo first >&2; echo 'the reason' >&2; exit 3", 60);
    let reason = only_reason(&found);
    assert!(
        reason.contains("the reason") && !reason.contains("first"),
        "{reason}"
    );
}

#[test]
fn records_before_a_failure_are_kept() {
    let found = run_script(r#"echo '{"system":"peer","median_ms":2}'; exit 1"#, 60);
    assert_eq!(found.len(), 2);
    assert_eq!(found[0].median_ms, Some(2.0));
    assert!(found[1].absent.is_some());
}

#[test]
fn invalid_output_is_quoted() {
    let found = run_script("echo hello; exit 0", 60);
    assert!(found[0].absent.as_deref().unwrap().contains("hello"));
}

#[test]
fn a_script_without_output_is_reported() {
    assert!(only_reason(&run_script("exit 0", 60)).contains("no record"));
}

#[test]
fn a_script_is_stopped_at_the_time_limit() {
    let start = Instant::now();
    let found = run_script("exec sleep 60", 1);
    assert!(only_reason(&found).contains("stopped after 1 s"));
    let found = run_script("exec >&-; exec sleep 60", 1);
    assert!(only_reason(&found).contains("stopped after 1 s"));
    assert!(start.elapsed() < Duration::from_secs(30));
}

#[test]
fn missing_scripts_and_programs_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let mut common = Common {
        peers: vec!["all".into()],
        peers_dir: Some(folder.path().to_owned()),
        python: "/no/such/python".into(),
        nvcc: Some("/no/such/nvcc".into()),
        peer_seconds: 60,
        ..Common::default()
    };
    assert!(only_reason(&run_peer_collecting("peer.py", &common)).contains("peer.py not found"));
    for script in ["peer.py", "peer.cu"] {
        std::fs::write(folder.path().join(script), "").unwrap();
    }
    assert!(only_reason(&run_peer_collecting("peer.py", &common)).contains("/no/such/python"));
    assert!(only_reason(&run_peer_collecting("peer.cu", &common)).contains("/no/such/nvcc"));
    // a failing compiler
    common.nvcc = Some("false".into());
    assert!(only_reason(&run_peer_collecting("peer.cu", &common)).contains("false failed"));
}

#[test]
fn the_first_compiler_error_is_reported() {
    let text = "a.cu(3): warning: x\na.cu(4): error: y\n  int z;\na.cu(9): error: w\n1 warning";
    assert_eq!(first_error(text), "a.cu(4): error: y");
    assert_eq!(first_error("no such file\n"), "no such file");
    assert_eq!(first_error(""), "no error output");
}

#[test]
fn unknown_names_are_errors() {
    let common = Common {
        peers: vec!["peer".into(), "pear".into()],
        ..Common::default()
    };
    let peer = Peer {
        system: "peer",
        script: "peer.py",
    };
    let error = run("mesh", &[peer], &[], &common, |record| panic!("{record:?}")).unwrap_err();
    assert!(
        error.contains("\"pear\"") && error.contains("available: peer"),
        "{error}"
    );
}

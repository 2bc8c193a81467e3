use super::*;

/// The records of a script for the shell, in the place of Python.
fn records(script: &str, seconds: u64) -> Vec<Record> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("peer.py"), script).unwrap();
    let common = Common {
        peers: vec!["peer".into()],
        peers_dir: Some(folder.path().to_owned()),
        python: "sh".into(),
        peer_seconds: seconds,
        ..Common::default()
    };
    collect("peer.py", &common)
}

fn collect(script: &'static str, common: &Common) -> Vec<Record> {
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
fn records_are_taken_from_the_output() {
    let script = r#"echo "{\"system\":\"peer\",\"size\":\"$2^3\",\"median_ms\":1.5,\"bytes\":3000000}"; echo"#;
    let found = records(script, 60);
    assert_eq!(found.len(), 1);
    assert_eq!(
        (found[0].size.as_str(), found[0].gb_per_s),
        ("16^3", Some(2.0))
    );
}

#[test]
fn a_failing_script_says_why() {
    let found = records("echo first >&2; echo 'the reason' >&2; exit 3", 60);
    let reason = only_reason(&found);
    assert!(
        reason.contains("the reason") && !reason.contains("first"),
        "{reason}"
    );
}

#[test]
fn what_came_before_a_failure_is_kept() {
    let found = records(r#"echo '{"system":"peer","median_ms":2}'; exit 1"#, 60);
    assert_eq!(found.len(), 2);
    assert_eq!(found[0].median_ms, Some(2.0));
    assert!(found[1].absent.is_some());
}

#[test]
fn output_that_is_no_record_is_shown() {
    let found = records("echo hello; exit 0", 60);
    assert!(found[0].absent.as_deref().unwrap().contains("hello"));
}

#[test]
fn silence_is_no_success() {
    assert!(only_reason(&records("exit 0", 60)).contains("no record"));
}

#[test]
fn a_script_that_takes_too_long_is_stopped() {
    let start = Instant::now();
    let found = records("exec sleep 60", 1);
    assert!(only_reason(&found).contains("stopped after 1 s"));
    let found = records("exec >&-; exec sleep 60", 1);
    assert!(only_reason(&found).contains("stopped after 1 s"));
    assert!(start.elapsed() < Duration::from_secs(30));
}

#[test]
fn what_is_not_there_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let mut common = Common {
        peers: vec!["all".into()],
        peers_dir: Some(folder.path().to_owned()),
        python: "/no/such/python".into(),
        nvcc: Some("/no/such/nvcc".into()),
        peer_seconds: 60,
        ..Common::default()
    };
    assert!(only_reason(&collect("peer.py", &common)).contains("peer.py was not found"));
    for script in ["peer.py", "peer.cu"] {
        std::fs::write(folder.path().join(script), "").unwrap();
    }
    assert!(only_reason(&collect("peer.py", &common)).contains("/no/such/python"));
    assert!(only_reason(&collect("peer.cu", &common)).contains("/no/such/nvcc"));
    // a compiler that fails
    common.nvcc = Some("false".into());
    assert!(only_reason(&collect("peer.cu", &common)).contains("false failed"));
}

#[test]
fn of_a_compiler_the_first_error_counts() {
    let text = "a.cu(3): warning: x\na.cu(4): error: y\n  int z;\na.cu(9): error: w\n1 warning";
    assert_eq!(first_error(text), "a.cu(4): error: y");
    assert_eq!(first_error("no such file\n"), "no such file");
    assert_eq!(first_error(""), "it said nothing");
}

#[test]
fn unknown_names_are_refused() {
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
        error.contains("\"pear\"") && error.contains("there are peer"),
        "{error}"
    );
}

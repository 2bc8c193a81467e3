use super::*;

const TEXT: &str = r#"// sources: sha256 1
.version 7.8
.target sm_90
.extern .shared .align 16 .b8 dynamic[];
.global .align 1 .b8 table[2] = {0, 1};
.global .align 8 .u64 pointers[1] = {generic(table)};
.shared .align 4 .u32 word_$_0;
.global .align 4 .u32 of_helper = 3;
.global .align 4 .u32 idle = 3;
.const .align 4 .u32 constant = 3;

.func helper()
{
	ld.global.b32 %r1, [of_helper];
	ret;
}
.visible .entry first(
	.param .u64 first_param_0
)
.maxnreg 64
{
	{
	ld.global.b64 %rd1, [pointers]; // not word_$_0
	mov.b64 {%r1, %r2}, %rd1;
	}
	ret;
}
	// -- End function
.weak .entry second() { st.shared.b32 [word_$_0], 1; }
.file 1 "odd{name//"
"#;

#[test]
fn items_reproduce_the_text() {
    let items = split(TEXT).unwrap();
    let names = |kind| {
        items
            .iter()
            .filter(|item| item.kind == kind)
            .map(|item| item.name.as_str())
            .collect::<Vec<_>>()
    };
    assert_eq!(names(Kind::Entry), ["first", "second"]);
    assert_eq!(
        names(Kind::Variable),
        ["table", "pointers", "word_$_0", "of_helper", "idle"]
    );
    let whole: String = items.iter().map(|item| item.text.as_str()).collect();
    let expected: String = TEXT
        .lines()
        .map(without_comment)
        .filter(|line| !line.is_empty())
        .map(|line| format!("{line}\n"))
        .collect();
    assert_eq!(whole, expected);
}

#[test]
fn a_kernel_depends_on_referenced_items() {
    let items = split(TEXT).unwrap();
    let names: Vec<Vec<&str>> = dependencies(&items)
        .iter()
        .map(|items| {
            items
                .iter()
                .map(|item| item.name.as_str())
                .filter(|name| !name.is_empty())
                .collect()
        })
        .collect();
    assert_eq!(
        names,
        [
            vec!["table", "pointers", "of_helper"],
            vec!["word_$_0", "of_helper"]
        ]
    );
    let first: String = dependencies(&items)[0]
        .iter()
        .map(|item| item.text.as_str())
        .collect();
    assert!(
        first.contains("dynamic[]")
            && first.contains("constant = 3")
            && first.contains(".func helper()")
    );
}

#[test]
fn unexpected_text_is_not_split() {
    for odd in [
        ".visible .entry k()\n{\n",
        ".visible .entry k()\n{\n}\n}\n",
        ".visible .entry k();\n",
        ".visible .entry k() { ret; } .visible .entry l() { ret; }\n",
        ".visible .entry k()\n{\n}\n.visible .entry k()\n{\n}\n",
        "/* .visible .entry k()\n{\n}*/\n",
        ".file 1 \"a\\\"{\"\n",
    ] {
        assert_eq!(split(odd), None, "{odd}");
    }
    assert_eq!(split(""), Some(Vec::new()));
}

#[test]
fn empty_comments_of_inline_assembly_are_kept() {
    let text = ".visible .entry k()\n{\n/**/ ret;\n}\n";
    let items = split(text).unwrap();
    assert_eq!((items.len(), &*items[0].text), (1, text));
    assert_eq!(split(&text.replace("/**/", "/* { */")), None);
}

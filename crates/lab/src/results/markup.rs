//! Texts that LaTeX and Markdown take literally.

/// What LaTeX must not take for a command. Brackets and stars mean something at the beginning of a row of a table.
pub(super) fn latex(text: &str) -> String {
    let escaped = |c: char| match c {
        '\\' => "\\textbackslash{}".to_owned(),
        '~' => "\\textasciitilde{}".to_owned(),
        '^' => "\\textasciicircum{}".to_owned(),
        '<' => "\\textless{}".to_owned(),
        '>' => "\\textgreater{}".to_owned(),
        '|' => "\\textbar{}".to_owned(),
        '"' => "\\textquotedbl{}".to_owned(),
        '{' | '}' | '$' | '&' | '#' | '_' | '%' => format!("\\{c}"),
        '[' | ']' | '*' => format!("{{{c}}}"),
        c if c.is_control() => " ".to_owned(),
        c => c.to_string(),
    };
    // Two dashes would become one long one, and quotes could join as well.
    text.chars().map(escaped).collect::<String>().replace("--", "-{}-").replace("``", "`{}`").replace("''", "'{}'")
}

/// What Markdown must not take for markup, also within a cell of a table.
pub(super) fn markdown(text: &str) -> String {
    let escaped = |c: char| match c {
        '\\' | '`' | '*' | '_' | '|' | '<' | '>' | '[' | ']' | '#' | '~' | '&' | '$' => format!("\\{c}"),
        c if c.is_control() => " ".to_owned(),
        c => c.to_string(),
    };
    text.chars().map(escaped).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_characters_are_taken_literally() {
        assert_eq!(latex("kappa_X & 50% {a} #1 $x$"), "kappa\\_X \\& 50\\% \\{a\\} \\#1 \\$x\\$");
        assert_eq!(
            latex("a\\b~c^2 <d> |e|"),
            "a\\textbackslash{}b\\textasciitilde{}c\\textasciicircum{}2 \\textless{}d\\textgreater{} \\textbar{}e\\textbar{}"
        );
        assert_eq!(latex("[x] * --y \"z\"\n"), "{[}x{]} {*} -{}-y \\textquotedbl{}z\\textquotedbl{} ");
        assert_eq!(
            markdown("a|b *c* _d_ `e` [f](g) <h> \\ #i\n"),
            "a\\|b \\*c\\* \\_d\\_ \\`e\\` \\[f\\](g) \\<h\\> \\\\ \\#i "
        );
        assert_eq!((latex("größer 3.5"), markdown("größer 3.5")), ("größer 3.5".into(), "größer 3.5".into()));
    }
}

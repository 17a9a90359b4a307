//! Words as LaTeX writes them, and the lines that put a figure into a paper.

use super::Format;
use crate::figure::Figure;

impl Figure {
    /// The lines that put a file of this figure into a document. `format` is [`Format::Pgf`] or one that `\includegraphics`
    /// reads; `file` is the name of the file.
    pub fn latex_snippet(&self, file: &str, format: Format) -> String {
        let (needs, input) = match format {
            Format::Pgf => ("pgf", format!("\\input{{{file}}}")),
            _ => {
                let width = self.look.width.map_or_else(|| "\\columnwidth".to_owned(), |_| self.width_for_latex());
                ("graphicx", format!("\\includegraphics[width={width}]{{{file}}}"))
            }
        };
        let label: String = file.rsplit_once('.').map_or(file, |(stem, _)| stem).to_owned();
        format!(
            "% Needs \\usepackage{{{needs}}}.\n\\begin{{figure}}\n  \\centering\n  {input}\n  \\caption{{{}}}\n  \
             \\label{{fig:{label}}}\n\\end{{figure}}\n",
            escape(&self.caption())
        )
    }

    /// The title and the line below it.
    fn caption(&self) -> String {
        let subtitle = self.charts().first().map_or("", |(_, chart)| chart.subtitle.as_str());
        if subtitle.is_empty() { format!("{}.", self.title) } else { format!("{}. {subtitle}.", self.title) }
    }

    /// The width in a unit that LaTeX knows; its points are others.
    fn width_for_latex(&self) -> String {
        match self.look.width {
            Some(width) if width.to_string().ends_with("px") || width.to_string().ends_with("pt") => {
                format!("{}bp", super::number(width.points()))
            }
            Some(width) => width.to_string(),
            None => String::new(),
        }
    }
}

/// Text that LaTeX prints as it is. Characters of mathematics are written as commands, because the letters of most documents
/// lack them.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\textbackslash{}"),
            '~' => out.push_str("\\textasciitilde{}"),
            '^' => out.push_str("\\textasciicircum{}"),
            '<' => out.push_str("\\textless{}"),
            '>' => out.push_str("\\textgreater{}"),
            '|' => out.push_str("\\textbar{}"),
            '"' => out.push_str("\\textquotedbl{}"),
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => out.extend(['\\', c]),
            '…' => out.push_str("\\dots{}"),
            '—' => out.push_str("---"),
            '–' => out.push_str("--"),
            c if c.is_whitespace() => out.push(' '),
            c if c.is_control() => {}
            c => match mathematics(c) {
                Some(command) => out.push_str(&format!("\\ensuremath{{{command}}}")),
                None => out.push(c),
            },
        }
    }
    // Typewriter quotes exist only in the newer encodings of fonts.
    out.replace("\\textquotedbl{}", "''")
}

fn mathematics(c: char) -> Option<String> {
    const GREEK: [(char, &str); 24] = [
        ('α', "alpha"),
        ('β', "beta"),
        ('γ', "gamma"),
        ('δ', "delta"),
        ('ε', "varepsilon"),
        ('ζ', "zeta"),
        ('η', "eta"),
        ('θ', "theta"),
        ('κ', "kappa"),
        ('λ', "lambda"),
        ('μ', "mu"),
        ('ν', "nu"),
        ('ξ', "xi"),
        ('π', "pi"),
        ('ρ', "rho"),
        ('σ', "sigma"),
        ('τ', "tau"),
        ('φ', "varphi"),
        ('χ', "chi"),
        ('ψ', "psi"),
        ('ω', "omega"),
        ('Γ', "Gamma"),
        ('Δ', "Delta"),
        ('Σ', "Sigma"),
    ];
    const SIGNS: [(char, &str); 9] = [
        ('−', "-"),
        ('·', "\\cdot"),
        ('×', "\\times"),
        ('‖', "\\Vert"),
        ('≤', "\\le"),
        ('≥', "\\ge"),
        ('±', "\\pm"),
        ('√', "\\surd"),
        ('∞', "\\infty"),
    ];
    if let Some((_, name)) = GREEK.iter().find(|(letter, _)| *letter == c) {
        return Some(format!("\\{name}"));
    }
    if let Some((_, command)) = SIGNS.iter().find(|(sign, _)| *sign == c) {
        return Some((*command).to_owned());
    }
    match c {
        '₀'..='₉' => Some(format!("_{}", c as u32 - '₀' as u32)),
        '²' => Some("^2".to_owned()),
        '³' => Some("^3".to_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_breaks_a_document() {
        assert_eq!(escape("50% of {a_b} & c#\\"), "50\\% of \\{a\\_b\\} \\& c\\#\\textbackslash{}");
        assert_eq!(
            escape("‖θ*‖ − R₁"),
            "\\ensuremath{\\Vert}\\ensuremath{\\theta}*\\ensuremath{\\Vert} \\ensuremath{-} R\\ensuremath{_1}"
        );
        assert_eq!(escape("é\u{1}\n"), "é ");
    }
}

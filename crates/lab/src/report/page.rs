//! A page: what a report says, in order, before it becomes HTML.

use std::fmt::Write as _;

use crate::figure::{Figure, Look, page_css, standalone_css};

/// A report. Texts may mark `code` with backquotes; everything else is taken literally.
#[derive(Debug, Clone, Default)]
pub struct Page {
    /// The heading.
    pub title: String,
    /// What it is about, in a few sentences, one entry a paragraph.
    pub lead: Vec<String>,
    /// What was run: names and values.
    pub facts: Vec<(String, String)>,
    /// The rest.
    pub sections: Vec<Section>,
}

/// A part of a report.
#[derive(Debug, Clone, Default)]
pub struct Section {
    /// Its heading.
    pub title: String,
    /// What it holds, in order.
    pub blocks: Vec<Block>,
}

/// A piece of a section.
#[derive(Debug, Clone)]
pub enum Block {
    /// A paragraph.
    Text(String),
    /// A figure, the name of its files, and what it shows in plain words.
    Figure {
        /// The drawing.
        figure: Box<Figure>,
        /// The name of its files in `figures/`, without ending.
        file: String,
        /// What it shows.
        caption: String,
    },
    /// A table.
    Table(Table),
    /// A claim, what was found about it, and the numbers.
    Claim {
        /// The claim.
        claim: String,
        /// What was found.
        verdict: Verdict,
        /// The numbers.
        text: String,
    },
    /// Something to be read pending by pending.
    Code(String),
}

/// What was found about a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It holds here.
    Holds,
    /// It holds in part.
    Partly,
    /// The numbers speak against it.
    Fails,
    /// Too early, or too few runs, to tell.
    Open,
}

impl Verdict {
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Verdict::Holds => ("holds", "holds here"),
            Verdict::Partly => ("partly", "holds in part"),
            Verdict::Fails => ("fails", "does not hold here"),
            Verdict::Open => ("open", "cannot be told here"),
        }
    }
}

/// A table: the first column is text, the others are numbers.
#[derive(Debug, Clone, Default)]
pub struct Table {
    /// What it shows.
    pub caption: String,
    /// Headings.
    pub columns: Vec<String>,
    /// Rows.
    pub rows: Vec<Vec<String>>,
}

impl Section {
    /// A section without content.
    pub fn new(title: &str) -> Self {
        Self { title: title.to_owned(), blocks: Vec::new() }
    }

    /// Adds a paragraph.
    pub fn text(&mut self, text: impl Into<String>) {
        self.blocks.push(Block::Text(text.into()));
    }

    /// Adds a figure.
    pub fn figure(&mut self, figure: Figure, file: &str, caption: impl Into<String>) {
        let (figure, file) = (Box::new(figure), file.to_owned());
        self.blocks.push(Block::Figure { figure, file, caption: caption.into() });
    }
}

impl Page {
    /// The figures with the names of their files.
    pub fn figures(&self) -> impl Iterator<Item = (&str, &Figure)> {
        let blocks = self.sections.iter().flat_map(|section| &section.blocks);
        blocks.filter_map(|block| match block {
            Block::Figure { figure, file, .. } => Some((file.as_str(), figure.as_ref())),
            _ => None,
        })
    }

    /// The page as one HTML file that needs no other.
    pub fn html(&self) -> String {
        self.document("", true)
    }

    /// The page about work that is not done: without links to files of figures, which are not there yet, and reloaded by
    /// browsers every so many seconds, if any are given.
    pub fn unfinished_html(&self, seconds: Option<u64>) -> String {
        let reload = seconds.map(|seconds| format!("<meta http-equiv=\"refresh\" content=\"{seconds}\">\n"));
        self.document(&reload.unwrap_or_default(), false)
    }

    fn document(&self, head: &str, has_files: bool) -> String {
        let (title, css, figure_css) = (escape(&self.title), include_str!("page.css"), page_css());
        let lead: String = self.lead.iter().map(|text| format!("<p class=\"lead\">{}</p>\n", marked(text))).collect();
        let (contents, facts) = (self.contents(), self.facts_html());
        let sections: String =
            self.sections.iter().enumerate().map(|(i, section)| section_html(i, section, has_files)).collect();
        let script = if self.figures().next().is_some() { script() } else { String::new() };
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n{head}<title>{title}</title>\n\
             <style>\n{css}{figure_css}</style>\n</head>\n<body>\n\
             <header>\n<h1>{title}</h1>\n{lead}{contents}</header>\n\
             <main>\n{sections}</main>\n\
             <footer>\n<h2>What was run</h2>\n{facts}</footer>\n{script}</body>\n</html>\n"
        )
    }

    /// Links to the sections, if there are enough to want them.
    fn contents(&self) -> String {
        if self.sections.len() < 3 {
            return String::new();
        }
        let link = |(i, section): (usize, &Section)| {
            format!("<li><a href=\"#s{}\">{}</a></li>\n", i + 1, escape(&section.title))
        };
        let links: String = self.sections.iter().enumerate().map(link).collect();
        format!("<nav aria-label=\"Contents\">\n<ol>\n{links}</ol>\n</nav>\n")
    }

    fn facts_html(&self) -> String {
        let fact = |(name, value): &(String, String)| format!("<dt>{}</dt><dd>{}</dd>\n", escape(name), marked(value));
        format!("<dl>\n{}</dl>\n", self.facts.iter().map(fact).collect::<String>())
    }
}

/// What saves the figures from the page itself, so that whoever was sent this one file has them too. Embedded files would
/// double the page and more; without the script the links lead to the files that lie beside it.
fn script() -> String {
    // Neither the quotes of JSON nor the style sheet can end the element: there is no "<" in them.
    let css = format!("{:?}", standalone_css(&Look::default().font.css()));
    format!("<script>\n{}</script>\n", include_str!("save.js").replace("\"STYLE\"", &css))
}

fn section_html(number: usize, section: &Section, has_files: bool) -> String {
    let mut blocks = String::new();
    for (i, block) in section.blocks.iter().enumerate() {
        push_block(&mut blocks, &format!("f{number}-{i}"), block, has_files);
    }
    let (id, title) = (format!("s{}", number + 1), escape(&section.title));
    format!(
        "<section id=\"{id}\" aria-labelledby=\"{id}-title\">\n<h2 id=\"{id}-title\">{title}</h2>\n{blocks}</section>\n"
    )
}

fn push_block(html: &mut String, id: &str, block: &Block, has_files: bool) {
    // Writing to a string cannot fail.
    let _ = match block {
        Block::Text(text) => writeln!(html, "<p>{}</p>", marked(text)),
        Block::Code(text) => writeln!(html, "<pre tabindex=\"0\"><code>{}</code></pre>", escape(text)),
        Block::Figure { figure, file, caption } => {
            let link = |ending: &str, name: &str| {
                format!("<a href=\"figures/{file}.{ending}\" download=\"{file}.{ending}\">{name}</a>")
            };
            let links = format!(" <span class=\"files\">{} {}</span>", link("svg", "SVG"), link("png", "PNG"));
            let links = if has_files { links } else { String::new() };
            let caption = format!("<figcaption>{}{links}</figcaption>", marked(caption));
            let (drawing, names) = (figure.inline(id), figure.names_html(id));
            writeln!(
                html,
                "<figure>\n<div class=\"drawing\" tabindex=\"0\">{drawing}</div>\n{names}{caption}\n</figure>"
            )
        }
        Block::Claim { claim, verdict, text } => {
            let (class, words) = verdict.words();
            let head =
                format!("<p class=\"claim\"><span class=\"verdict {class}\">{words}</span> {}</p>", marked(claim));
            writeln!(html, "<div class=\"claim-box\">\n{head}\n<p>{}</p>\n</div>", marked(text))
        }
        Block::Table(table) => writeln!(html, "{}", table_html(table)),
    };
}

fn table_html(table: &Table) -> String {
    let row = |cells: &[String], tag: &str| {
        let cells: String = cells
            .iter()
            .enumerate()
            .map(|(i, cell)| match (tag, i) {
                // A label is its owner's, whatever it says.
                ("td", 0) => format!("<th scope=\"row\">{}</th>", escape(cell)),
                ("th", _) => format!("<th scope=\"col\">{}</th>", marked(cell)),
                _ => format!("<td>{}</td>", marked(cell)),
            })
            .collect();
        format!("<tr>{cells}</tr>\n")
    };
    let body: String = table.rows.iter().map(|cells| row(cells, "td")).collect();
    let (caption, head) = (marked(&table.caption), row(&table.columns, "th"));
    format!(
        "<div class=\"scroll\" tabindex=\"0\"><table>\n<caption><span>{caption}</span></caption>\n<thead>\n{head}</thead>\n\
         <tbody>\n{body}</tbody>\n</table></div>"
    )
}

/// Escapes a text, marks what stands in backquotes as code, and writes symbols elsewhere as symbols.
fn marked(text: &str) -> String {
    let parts: Vec<&str> = text.split('`').collect();
    let is_paired = parts.len() % 2 == 1;
    if !is_paired {
        return escape(text);
    }
    let part = |(i, part): (usize, &str)| match i % 2 {
        1 => format!("<code>{}</code>", escape(part)),
        _ => symbols(&escape(part)),
    };
    parts.into_iter().enumerate().map(part).collect()
}

/// Names as mathematicians write them. Longer names come first, because they contain shorter ones.
const SYMBOLS: [(&str, &str); 18] = [
    ("||theta*||", "‖θ<sub>*</sub>‖"),
    ("x'theta*", "x′θ<sub>*</sub>"),
    ("theta*", "θ<sub>*</sub>"),
    ("theta", "θ"),
    ("kappa_*", "κ<sub>*</sub>"),
    ("kappa_X", "κ<sub>X</sub>"),
    ("kappa_eps", "κ<sub>ε</sub>"),
    ("kappa", "κ"),
    ("K_d", "K<sub>d</sub>"),
    ("2^(d-1)", "2<sup>d−1</sup>"),
    ("d^2", "d²"),
    (" mu ", " μ "),
    (" mu(", " μ("),
    (" mu'", " μ′"),
    ("sqrt(", "√("),
    ("C_t", "C<sub>t</sub>"),
    ("E_t", "E<sub>t</sub>"),
    ("&lt;=", "≤"),
];

fn symbols(escaped: &str) -> String {
    SYMBOLS.iter().fold(escaped.to_owned(), |text, (name, symbol)| text.replace(name, symbol))
}

/// Text that HTML takes literally.
pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_unfinished_work_reload_themselves() {
        let page = Page { title: "t".into(), ..Page::default() };
        let reload = "<meta http-equiv=\"refresh\" content=\"3\">\n";
        assert!(page.unfinished_html(Some(3)).contains(reload));
        assert_eq!(page.unfinished_html(Some(3)).replace(reload, ""), page.html());
        assert!(!page.html().contains("http-equiv") && !page.unfinished_html(None).contains("http-equiv"));
    }

    #[test]
    fn texts_are_escaped_and_code_is_marked() {
        assert_eq!(marked("a < b & `x<y`"), "a &lt; b &amp; <code>x&lt;y</code>");
        assert_eq!(marked("one ` only"), "one ` only");
        assert_eq!(marked("kappa_X of `kappa_X`"), "κ<sub>X</sub> of <code>kappa_X</code>");
    }
}

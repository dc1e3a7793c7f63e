//! Ruby's kernel, files and common libraries.

use crate::code::interpret::Object;

use super::{Act, Mode};

pub(super) fn act(name: &str) -> Option<Act> {
    let name = name.strip_prefix("Kernel.").or_else(|| name.strip_prefix("self.")).unwrap_or(name);
    Some(match name {
        "File.delete"
        | "File.unlink"
        | "Dir.delete"
        | "Dir.rmdir"
        | "Dir.unlink"
        | "FileUtils.rm"
        | "FileUtils.rm_f"
        | "FileUtils.remove"
        | "FileUtils.safe_unlink"
        | "FileUtils.rmdir"
        | "FileUtils.remove_file" => Act::Delete { tree: false },
        "FileUtils.rm_r"
        | "FileUtils.rm_rf"
        | "FileUtils.rmtree"
        | "FileUtils.remove_dir"
        | "FileUtils.remove_entry"
        | "FileUtils.remove_entry_secure" => Act::Delete { tree: true },
        "File.rename" | "FileUtils.mv" | "FileUtils.move" => Act::Rename,
        "File.symlink" | "FileUtils.ln_s" | "FileUtils.ln_sf" | "FileUtils.symlink" => {
            Act::Link { symbolic: true }
        }
        "File.link" | "FileUtils.ln" | "FileUtils.link" => Act::Link { symbolic: false },
        "FileUtils.cp"
        | "FileUtils.copy"
        | "FileUtils.cp_r"
        | "FileUtils.copy_file"
        | "FileUtils.copy_entry"
        | "FileUtils.install"
        | "IO.copy_stream" => Act::Copy,
        "File.write" | "IO.write" | "File.binwrite" | "IO.binwrite" | "File.truncate" => {
            Act::Write(Mode::Truncate)
        }
        "FileUtils.touch" => Act::Write(Mode::Append),
        "File.open" | "File.new" | "open" | "IO.sysopen" | "CSV.open" | "Zlib.GzipWriter.open" => Act::Open,
        "system" | "exec" | "spawn" | "Process.spawn" | "Process.exec" | "IO.popen" | "Open3.capture2"
        | "Open3.capture2e" | "Open3.capture3" | "Open3.popen2" | "Open3.popen2e" | "Open3.popen3"
        | "Open3.pipeline" | "PTY.spawn" | "sh" => Act::System,
        "Process.kill" => Act::Tool("kill"),
        "Dir.chdir" | "FileUtils.cd" | "FileUtils.chdir" => Act::ChangeDirectory,
        "exit" | "exit!" | "abort" | "Process.exit" => Act::Exit,
        "eval" | "instance_eval" | "class_eval" | "Object.class_eval" | "binding.eval" => Act::Code,
        "load" => Act::File { beside: false },
        "require_relative" => Act::File { beside: true },
        "require" => Act::Load,
        "File.join" => Act::Join,
        "File.expand_path" => Act::Expand,
        "Dir.home" => Act::Home,
        "File.absolute_path" | "File.realpath" | "Array" | "Set.new" => Act::Same,
        "String" => Act::Text,
        "File.dirname" => Act::Directory,
        "File.basename" => Act::Base,
        "Dir.glob" => Act::Glob,
        "Pathname.glob" => Act::Glob,
        "Dir.entries" | "Dir.children" | "Dir.each_child" | "Dir.foreach" | "Dir.new" => Act::Entries,
        "Pathname" | "Pathname.new" => Act::Path,
        "Dir.mktmpdir" | "Dir.tmpdir" | "Tempfile.new" | "Tempfile.create" => Act::Temporary,
        "SQLite3.Database.new" | "SQLite3.Database.open" => Act::Database("sqlite"),
        "PG.connect" | "PG.Connection.new" => Act::Database("postgres"),
        "Mysql2.Client.new" => Act::Database("mysql"),
        "Sequel.connect" | "Sequel.sqlite" => Act::Database("generic"),
        "send" | "public_send" | "__send__" | "method" | "File.method" | "FileUtils.method"
        | "Dir.method" | "Object.const_get" => {
            return method(name);
        }
        "format" | "sprintf" => Act::Format,
        "Base64.decode64" | "Base64.strict_decode64" => Act::Decode,
        "gets" | "readlines" | "readline" | "ARGF.read" | "STDIN.read" | "File.read" | "IO.read"
        | "File.readlines" | "IO.readlines" | "IO.foreach" | "IO.binread" | "ENV.fetch" | "JSON.parse"
        | "YAML.load_file" | "ARGF.each_line" | "STDIN.each_line" | "File.foreach" | "Marshal.load" => {
            Act::Outside
        }
        "lambda" | "proc" | "Proc.new" => Act::Apply,
        "loop" | "Thread.new" | "at_exit" | "fork" | "catch" | "tap" => Act::Plain,
        _ => return None,
    })
}

/// `FileUtils.method(:rm)` and `send(:system, …)`.
fn method(name: &str) -> Option<Act> {
    if name.ends_with("method") || name == "Object.const_get" {
        return Some(Act::Outside);
    }
    Some(Act::Unknown("a method that is chosen by name is called"))
}

const CONSTANTS: &[&str] = &[
    "File",
    "Dir",
    "FileUtils",
    "IO",
    "Kernel",
    "Process",
    "Open3",
    "PTY",
    "Pathname",
    "Tempfile",
    "ENV",
    "ARGF",
    "STDIN",
    "STDOUT",
    "STDERR",
    "JSON",
    "YAML",
    "CSV",
    "Time",
    "Date",
    "DateTime",
    "Math",
    "Random",
    "SecureRandom",
    "Digest",
    "Base64",
    "Set",
    "Hash",
    "Array",
    "String",
    "Integer",
    "Float",
    "Struct",
    "OpenStruct",
    "Comparable",
    "Enumerable",
    "Object",
    "Class",
    "Module",
    "Proc",
    "Thread",
    "Mutex",
    "Queue",
    "GC",
    "ObjectSpace",
    "RUBY_VERSION",
    "RUBY_PLATFORM",
    "RbConfig",
    "Gem",
    "Etc",
    "Socket",
    "URI",
    "Net",
    "OpenURI",
    "ERB",
    "Benchmark",
    "Logger",
    "PP",
    "Rational",
    "Complex",
    "Range",
    "Regexp",
    "Symbol",
    "Encoding",
    "Marshal",
    "Zlib",
    "Shellwords",
    "Timeout",
    "SQLite3",
    "PG",
    "Mysql2",
    "Sequel",
    "StringIO",
    "Signal",
    "Nokogiri",
    "Etc",
    "Bundler",
    "Psych",
    "BigDecimal",
    "Exception",
    "StandardError",
    "Warning",
];

/// Names without a value of the program's own.
pub(super) fn global(name: &str) -> Object {
    if act(name).is_some() || CONSTANTS.contains(&name) {
        return Object::Native(name.to_owned());
    }
    match name {
        "puts" | "print" | "p" | "pp" | "printf" | "putc" | "warn" | "sleep" | "rand" | "srand" | "raise"
        | "require" | "attr_accessor" | "attr_reader" | "attr_writer" | "private" | "public"
        | "block_given?" | "binding" | "caller" | "freeze" | "Integer" | "Float" | "include" | "extend"
        | "trap" | "test" | "throw" | "__method__" | "__FILE__" | "__dir__" | "self" | "chomp" | "gsub"
        | "sub" => Object::Native(name.to_owned()),
        _ if name.starts_with('$') => Object::Unknown,
        _ if name.starts_with('@') => Object::Unknown,
        _ => Object::Foreign(name.to_owned()),
    }
}

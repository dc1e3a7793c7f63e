//! PHP and Lua.

use crate::code::interpret::Object;

use super::{Act, Mode};

pub(super) fn php(name: &str) -> Option<Act> {
    Some(match name.trim_start_matches('\\') {
        "unlink" | "rmdir" => Act::Delete { tree: false },
        "rename" | "move_uploaded_file" => Act::Rename,
        "copy" => Act::Copy,
        "symlink" => Act::Link { symbolic: true },
        "link" => Act::Link { symbolic: false },
        "touch" => Act::Write(Mode::Append),
        "file_put_contents" => Act::Write(Mode::Truncate),
        "fopen" | "gzopen" | "SplFileObject" => Act::Open,
        "system" | "exec" | "shell_exec" | "passthru" | "popen" => Act::Shell,
        "proc_open" => Act::System,
        "pcntl_exec" => Act::Process,
        "posix_kill" => Act::Tool("kill"),
        "chdir" => Act::ChangeDirectory,
        "exit" | "die" => Act::Exit,
        "eval" | "assert" | "create_function" => Act::Code,
        "include" | "require" | "include_once" | "require_once" => Act::Load,
        "glob" => Act::Glob,
        "scandir" => Act::Entries,
        "dirname" => Act::Directory,
        "basename" => Act::Base,
        "array_map" | "array_filter" => Act::Each { function: 0, list: 1 },
        "register_shutdown_function"
        | "usort"
        | "spl_autoload_register"
        | "set_error_handler"
        | "iterator_apply"
        | "ob_start" => Act::Plain,
        "array_walk" => Act::Each { function: 1, list: 0 },
        "call_user_func" | "call_user_func_array" => Act::Apply,
        "sprintf" => Act::Format,
        "implode" | "join" => Act::Concatenate,
        "base64_decode" | "hex2bin" => Act::Decode,
        "chr" => Act::Character,
        "realpath" | "array_values" | "array_slice" | "array_diff" | "array_reverse" | "array_unique"
        | "trim" => Act::Same,
        "strval" => Act::Text,
        "SQLite3" => Act::Database("sqlite"),
        "PDO" | "mysqli" | "mysqli_connect" | "pg_connect" => Act::Database("generic"),
        "mysqli_query" | "pg_query" | "sqlite_query" => Act::Query,
        "tempnam" | "tmpfile" | "sys_get_temp_dir" => Act::Temporary,
        "file_get_contents" | "file" | "fgets" | "readline" | "getenv" | "json_decode" | "gzinflate"
        | "str_rot13" | "gzuncompress" => Act::Outside,
        _ => return None,
    })
}

/// PHP has thousands of functions; those that act are listed, the others are judged by their names.
pub(super) fn php_global(name: &str) -> Object {
    if name.starts_with('$') {
        Object::Unknown
    } else if php(name).is_some() || !super::destroys(name) {
        Object::Native(name.to_owned())
    } else {
        Object::Foreign(name.to_owned())
    }
}

pub(super) fn lua(name: &str) -> Option<Act> {
    Some(match name {
        "os.remove" | "lfs.rmdir" => Act::Delete { tree: false },
        "os.rename" => Act::Rename,
        "os.execute" | "io.popen" => Act::Shell,
        "io.open" => Act::Open,
        "io.output" => Act::Write(Mode::Truncate),
        "os.exit" => Act::Exit,
        "load" | "loadstring" => Act::Code,
        "dofile" | "loadfile" => Act::File { beside: false },
        "require" => Act::Load,
        "lfs.chdir" => Act::ChangeDirectory,
        "lfs.dir" => Act::Entries,
        "string.format" => Act::Format,
        "string.char" => Act::Character,
        "pcall" | "xpcall" => Act::Apply,
        "ipairs" | "pairs" => Act::Pairs,
        "tostring" => Act::Text,
        "io.read" | "io.lines" | "os.getenv" => Act::Outside,
        "print" | "type" | "tonumber" | "select" | "error" | "assert" | "next" | "rawget" | "rawset"
        | "setmetatable" | "unpack" => Act::Plain,
        _ => return None,
    })
}

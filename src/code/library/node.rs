//! Node's modules, and Deno's and Bun's own functions.

use crate::code::interpret::Object;

use super::{Act, Mode};

pub(super) fn act(name: &str) -> Option<Act> {
    let name = name.strip_prefix("globalThis.").or_else(|| name.strip_prefix("global.")).unwrap_or(name);
    Some(match name {
        "fs.unlink" | "fs.unlinkSync" | "fs.rmdir" | "fs.rmdirSync" | "fs.rm" | "fs.rmSync"
        | "Deno.remove" | "Deno.removeSync" => Act::Delete { tree: false },
        "fs.remove" | "fs.removeSync" | "fs.emptyDir" | "fs.emptyDirSync" | "rimraf" | "rimraf.sync"
        | "rimraf.rimraf" | "rimraf.rimrafSync" | "del" | "del.sync" | "del.deleteAsync"
        | "del.deleteSync" | "fs.emptydir" => Act::Delete { tree: true },
        "fs.writeFile"
        | "fs.writeFileSync"
        | "fs.truncate"
        | "fs.truncateSync"
        | "fs.createWriteStream"
        | "fs.outputFile"
        | "fs.outputFileSync"
        | "fs.writeJson"
        | "fs.writeJsonSync"
        | "fs.outputJson"
        | "fs.outputJsonSync"
        | "Deno.writeTextFile"
        | "Deno.writeTextFileSync"
        | "Deno.writeFile"
        | "Deno.writeFileSync"
        | "Deno.truncate"
        | "Deno.create"
        | "Bun.write" => Act::Write(Mode::Truncate),
        "fs.appendFile" | "fs.appendFileSync" => Act::Write(Mode::Append),
        "fs.open" | "fs.openSync" => Act::Open,
        "fs.rename" | "fs.renameSync" | "fs.move" | "fs.moveSync" | "Deno.rename" | "Deno.renameSync" => {
            Act::Rename
        }
        "fs.symlink" | "fs.symlinkSync" | "Deno.symlink" | "Deno.symlinkSync" => Act::Link { symbolic: true },
        "fs.link" | "fs.linkSync" | "Deno.link" | "Deno.linkSync" => Act::Link { symbolic: false },
        "fs.copyFile" | "fs.copyFileSync" | "fs.cp" | "fs.cpSync" | "fs.copy" | "fs.copySync"
        | "Deno.copyFile" => Act::Copy,
        "child_process.exec"
        | "child_process.execSync"
        | "$"
        | "Bun.$"
        | "execa.command"
        | "execa.execaCommand" => Act::Shell,
        "child_process.spawn"
        | "child_process.spawnSync"
        | "child_process.execFile"
        | "child_process.execFileSync"
        | "child_process.fork"
        | "cross-spawn"
        | "cross-spawn.sync"
        | "execa"
        | "execa.sync"
        | "execa.execa"
        | "execa.execaSync"
        | "Bun.spawn"
        | "Bun.spawnSync"
        | "Deno.run"
        | "Deno.Command" => Act::Process,
        "shelljs.rm" => Act::Tool("rm"),
        "shelljs.mv" => Act::Tool("mv"),
        "shelljs.cp" => Act::Tool("cp"),
        "shelljs.exec" => Act::Shell,
        "process.chdir" | "Deno.chdir" => Act::ChangeDirectory,
        "process.exit" | "process.abort" | "Deno.exit" => Act::Exit,
        "process.kill" => Act::Tool("kill"),
        "worker_threads.Worker" | "Worker" => Act::Unknown("code in a worker"),
        "process.binding" | "process.dlopen" => Act::Unknown("Node's internals are used"),
        "eval"
        | "Function"
        | "vm.runInThisContext"
        | "vm.runInNewContext"
        | "vm.runInContext"
        | "vm.Script" => Act::Code,
        "require" | "import" | "module.require" | "process.getBuiltinModule" => Act::Load,
        "path.join" | "path.resolve" | "path.posix.join" => Act::Join,
        "path.normalize" | "Array.from" | "Promise.all" | "Promise.resolve" | "Object.freeze"
        | "Object.values" | "Object.assign" | "Promise.allSettled" | "util.promisify" | "String.raw" => {
            Act::Same
        }
        "os.homedir" => Act::Home,
        "path.dirname" => Act::Directory,
        "path.basename" => Act::Base,
        "String" | "JSON.stringify" => Act::Text,
        "fs.readdir" | "fs.readdirSync" => Act::Entries,
        "fs.glob" | "fs.globSync" | "glob.sync" | "glob.globSync" | "glob.glob" | "glob"
        | "fast-glob.sync" | "globby.globbySync" => Act::Glob,
        "fs.mkdtemp" | "fs.mkdtempSync" | "os.tmpdir" => Act::Temporary,
        "better-sqlite3"
        | "sqlite3.Database"
        | "sqlite.DatabaseSync"
        | "bun:sqlite.Database"
        | "sqlite3.cached.Database" => Act::Database("sqlite"),
        "pg.Client" | "pg.Pool" | "postgres" => Act::Database("postgres"),
        "mysql.createConnection" | "mysql2.createConnection" | "mysql.createPool" | "mysql2.createPool" => {
            Act::Database("mysql")
        }
        "Buffer.from" | "atob" => Act::Decode,
        "String.fromCharCode" => Act::Character,
        "fs.readFile" | "fs.readFileSync" | "JSON.parse" | "fetch" | "axios.get" | "Deno.readTextFile"
        | "process.stdin.on" => Act::Outside,
        "axios.delete" => Act::Unknown("an HTTP DELETE request is sent"),
        "Reflect.get" => Act::Attribute,
        _ => return None,
    })
}

/// Modules of Node, and others that only compute, read or show.
const KNOWN: &[&str] = &[
    "assert",
    "async_hooks",
    "buffer",
    "child_process",
    "cluster",
    "console",
    "constants",
    "crypto",
    "dgram",
    "diagnostics_channel",
    "dns",
    "events",
    "fs",
    "http",
    "http2",
    "https",
    "inspector",
    "module",
    "net",
    "os",
    "path",
    "perf_hooks",
    "process",
    "punycode",
    "querystring",
    "readline",
    "repl",
    "sqlite",
    "stream",
    "string_decoder",
    "sys",
    "test",
    "timers",
    "tls",
    "tty",
    "url",
    "util",
    "v8",
    "vm",
    "wasi",
    "worker_threads",
    "zlib",
    "lodash",
    "underscore",
    "ramda",
    "moment",
    "dayjs",
    "luxon",
    "date-fns",
    "chalk",
    "kleur",
    "colors",
    "picocolors",
    "semver",
    "uuid",
    "nanoid",
    "yaml",
    "js-yaml",
    "toml",
    "json5",
    "ini",
    "dotenv",
    "minimist",
    "yargs",
    "commander",
    "express",
    "koa",
    "fastify",
    "react",
    "react-dom",
    "vue",
    "svelte",
    "axios",
    "node-fetch",
    "got",
    "undici",
    "cheerio",
    "jsdom",
    "typescript",
    "acorn",
    "esbuild",
    "prettier",
    "eslint",
    "zod",
    "ajv",
    "debug",
    "ms",
    "bytes",
    "mime",
    "marked",
    "glob",
    "fast-glob",
    "globby",
    "minimatch",
    "micromatch",
    "immutable",
    "rxjs",
    "bignumber.js",
    "decimal.js",
    "mathjs",
    "better-sqlite3",
    "sqlite3",
    "pg",
    "mysql",
    "mysql2",
    "rimraf",
    "del",
    "shelljs",
    "execa",
    "cross-spawn",
    "fs-extra",
    "bun:sqlite",
    "vite",
    "webpack",
    "rollup",
    "jest",
];

pub(super) fn module(name: &str) -> Object {
    let bare = name.strip_prefix("node:").unwrap_or(name);
    match bare {
        "fs/promises" | "fs-extra" | "graceful-fs" => Object::Native("fs".to_owned()),
        "path/posix" => Object::Native("path".to_owned()),
        "mysql2/promise" => Object::Native("mysql2".to_owned()),
        _ if bare.ends_with(".json") => Object::Plain,
        _ if KNOWN.contains(&bare.split('/').next().unwrap_or(bare)) || bare == "bun:sqlite" => {
            Object::Native(bare.to_owned())
        }
        _ => Object::Foreign(bare.to_owned()),
    }
}

pub(super) fn is_global(name: &str) -> bool {
    act(name).is_some()
        // `node -e` has the built-in modules as variables.
        || KNOWN.iter().take(41).any(|module| *module == name)
        || matches!(
            name,
            "console" | "Math" | "JSON" | "Object" | "Array" | "Number" | "Boolean" | "Date" | "RegExp" | "Map" | "Set" | "WeakMap" | "WeakSet"
                | "Symbol" | "BigInt" | "Promise" | "Proxy" | "Reflect" | "Buffer" | "process" | "module" | "exports" | "globalThis" | "global"
                | "setTimeout" | "setInterval" | "setImmediate" | "clearTimeout" | "clearInterval" | "queueMicrotask" | "structuredClone" | "URL"
                | "URLSearchParams" | "TextEncoder" | "TextDecoder" | "AbortController" | "Intl" | "parseInt" | "parseFloat" | "isNaN"
                | "isFinite" | "encodeURIComponent" | "decodeURIComponent" | "encodeURI" | "decodeURI" | "escape" | "unescape" | "btoa" | "NaN"
                | "Infinity" | "this" | "super" | "arguments" | "__dirname" | "__filename" | "performance" | "WebAssembly" | "Uint8Array"
                | "ArrayBuffer" | "DataView" | "Error" | "TypeError" | "RangeError" | "Deno" | "Bun" | "crypto" | "document" | "window"
        )
}

//! Python's built-in functions, standard library, and libraries that everyone uses.

use crate::code::interpret::Object;

use super::{Act, Mode};

pub(super) fn act(name: &str) -> Option<Act> {
    let name = name.strip_prefix("builtins.").or_else(|| name.strip_prefix("__builtins__.")).unwrap_or(name);
    Some(match name {
        "os.remove" | "os.unlink" | "os.rmdir" => Act::Delete { tree: false },
        "os.removedirs" => Act::Delete { tree: false },
        "shutil.rmtree" | "distutils.dir_util.remove_tree" => Act::Delete { tree: true },
        "venv.create" | "venv.EnvBuilder" => Act::Anew,
        "os.rename" | "os.renames" | "os.replace" | "shutil.move" => Act::Rename,
        "os.symlink" => Act::Link { symbolic: true },
        "os.link" => Act::Link { symbolic: false },
        "shutil.copy"
        | "shutil.copy2"
        | "shutil.copyfile"
        | "shutil.copytree"
        | "distutils.dir_util.copy_tree" => Act::Copy,
        "shutil.unpack_archive" => Act::Unknown("an archive is unpacked"),
        "os.truncate" => Act::Write(Mode::Truncate),
        "open"
        | "io.open"
        | "codecs.open"
        | "gzip.open"
        | "bz2.open"
        | "lzma.open"
        | "os.open"
        | "tarfile.open"
        | "zipfile.ZipFile"
        | "io.FileIO"
        | "tarfile.TarFile"
        | "gzip.GzipFile"
        | "file"
        | "shelve.open"
        | "dbm.open"
        | "dbm.gnu.open"
        | "dbm.ndbm.open"
        | "dbm.dumb.open"
        | "logging.FileHandler"
        | "logging.basicConfig" => Act::Open,
        "os.system"
        | "os.popen"
        | "commands.getoutput"
        | "commands.getstatusoutput"
        | "subprocess.getoutput"
        | "subprocess.getstatusoutput"
        | "asyncio.create_subprocess_shell"
        | "platform.popen" => Act::Shell,
        "subprocess.run"
        | "subprocess.call"
        | "subprocess.check_call"
        | "subprocess.check_output"
        | "subprocess.Popen"
        | "pty.spawn" => Act::Process,
        "asyncio.create_subprocess_exec" => Act::Words,
        "os.execv" | "os.execve" | "os.execvp" | "os.execvpe" | "os.execl" | "os.execle" | "os.execlp"
        | "os.execlpe" | "os.spawnv" | "os.spawnve" | "os.spawnvp" | "os.spawnvpe" | "os.spawnl"
        | "os.spawnle" | "os.spawnlp" | "os.spawnlpe" | "os.posix_spawn" | "os.posix_spawnp" => Act::Exec,
        "os.kill" | "os.killpg" => Act::Tool("kill"),
        "os.chdir" => Act::ChangeDirectory,
        "sys.exit" | "exit" | "quit" | "os._exit" | "os.abort" => Act::Exit,
        "exec" | "eval" | "timeit.timeit" | "timeit.repeat" | "timeit.Timer" | "cProfile.run"
        | "profile.run" | "pdb.run" | "trace.Trace.run" => Act::Code,
        "execfile" | "runpy.run_path" => Act::File { beside: false },
        "runpy.run_module" => Act::Load,
        "invoke.Context.run" | "invoke.Context.sudo" | "invoke.Context.local" | "invoke.run" => Act::Shell,
        "nox.Session.run" | "nox.Session.run_always" | "nox.Session.run_install" => Act::Words,
        "invoke.Context.cd" | "nox.Session.cd" | "nox.Session.chdir" => Act::ChangeDirectory,
        "zipfile.main" | "tarfile.main" | "zipapp.create_archive" | "zipapp.main" => {
            Act::Unknown("an archive is written")
        }
        "doctest.testfile" | "code.InteractiveInterpreter.runsource" => {
            Act::Unknown("code that is made or read at run time")
        }
        "compile" | "textwrap.dedent" | "inspect.cleandoc" => Act::Same,
        "imp.load_source"
        | "importlib.util.spec_from_file_location"
        | "code.interact"
        | "marshal.loads"
        | "types.FunctionType"
        | "types.CodeType" => Act::Unknown("code that is made or read at run time"),
        "pickle.loads" | "pickle.load" => Act::Outside,
        "ctypes.CDLL" | "ctypes.cdll.LoadLibrary" | "ctypes.PyDLL" | "cffi.FFI" => {
            Act::Unknown("functions of a C library")
        }
        "__import__" | "importlib.import_module" | "importlib.__import__" => Act::Load,
        "getattr" | "operator.attrgetter" => Act::Attribute,
        "globals" | "locals" | "vars" => Act::Namespace,
        "map" | "filter" => Act::Each { function: 0, list: 1 },
        "functools.reduce" | "functools.partial" => Act::Apply,
        "os.path.join" | "posixpath.join" => Act::Join,
        "os.path.expanduser" | "posixpath.expanduser" | "pathlib.Path.home" | "path.Path.home" => Act::Home,
        "os.path.expandvars" | "posixpath.expandvars" => Act::Variables,
        "os.path.abspath" | "os.path.realpath" | "os.path.normpath" | "os.fspath" | "os.fsencode"
        | "os.fsdecode" | "list" | "tuple" | "set" | "sorted" | "reversed" | "iter" | "frozenset"
        | "tqdm.tqdm" | "asyncio.run" | "contextlib.closing" | "sqlalchemy.text" | "bytes" | "bytearray" => {
            Act::Same
        }
        "next" => Act::Element,
        "enumerate" => Act::Pairs,
        "str" | "repr" => Act::Text,
        "os.path.dirname" => Act::Directory,
        "os.path.basename" => Act::Base,
        "glob.glob" | "glob.iglob" => Act::Glob,
        "os.listdir" => Act::Entries,
        "os.scandir" => Act::Paths,
        "os.walk" | "os.fwalk" => Act::Walk,
        "pathlib.Path"
        | "pathlib.PosixPath"
        | "pathlib.PurePath"
        | "pathlib.PurePosixPath"
        | "path.Path"
        | "pathlib.Path.cwd" => Act::Path,
        "tempfile.mkdtemp" | "tempfile.mktemp" | "tempfile.gettempdir" | "tempfile.TemporaryDirectory" => {
            Act::Temporary
        }
        "sqlite3.connect" | "apsw.Connection" => Act::Database("sqlite"),
        "psycopg2.connect" | "psycopg.connect" | "pg8000.connect" => Act::Database("postgres"),
        "pymysql.connect" | "MySQLdb.connect" | "mysql.connector.connect" => Act::Database("mysql"),
        "sqlalchemy.create_engine" | "duckdb.connect" => Act::Database("generic"),
        "base64.b64decode"
        | "base64.standard_b64decode"
        | "bytes.fromhex"
        | "binascii.unhexlify"
        | "bytearray.fromhex"
        | "binascii.a2b_base64" => Act::Decode,
        "chr" => Act::Character,
        "input"
        | "raw_input"
        | "os.getenv"
        | "os.environ.get"
        | "sys.stdin.read"
        | "sys.stdin.readline"
        | "sys.stdin.readlines"
        | "requests.get"
        | "urllib.request.urlopen"
        | "httpx.get"
        | "json.load"
        | "json.loads"
        | "yaml.load"
        | "yaml.safe_load"
        | "zlib.decompress"
        | "codecs.decode"
        | "gzip.decompress"
        | "bz2.decompress"
        | "lzma.decompress" => Act::Outside,
        "fileinput.input" | "fileinput.FileInput" => Act::InPlace,
        "requests.delete" | "httpx.delete" | "requests.Session.delete" => {
            Act::Unknown("an HTTP DELETE request is sent")
        }
        "urllib.request.urlretrieve" | "torch.save" | "joblib.dump" => Act::WriteTo(1),
        "numpy.save"
        | "np.save"
        | "numpy.savetxt"
        | "numpy.savez"
        | "matplotlib.pyplot.savefig"
        | "cv2.imwrite" => Act::WriteTo(0),
        _ => return None,
    })
}

/// Modules of the standard library.
const STANDARD: &[&str] = &[
    "__future__",
    "abc",
    "argparse",
    "array",
    "ast",
    "asyncio",
    "atexit",
    "base64",
    "bdb",
    "binascii",
    "bisect",
    "builtins",
    "bz2",
    "calendar",
    "cgi",
    "cmath",
    "cmd",
    "code",
    "codecs",
    "collections",
    "colorsys",
    "commands",
    "compileall",
    "concurrent",
    "configparser",
    "contextlib",
    "contextvars",
    "copy",
    "csv",
    "ctypes",
    "curses",
    "dataclasses",
    "datetime",
    "decimal",
    "difflib",
    "dis",
    "distutils",
    "doctest",
    "email",
    "encodings",
    "ensurepip",
    "enum",
    "errno",
    "faulthandler",
    "fcntl",
    "filecmp",
    "fileinput",
    "fnmatch",
    "fractions",
    "ftplib",
    "functools",
    "gc",
    "getopt",
    "getpass",
    "gettext",
    "glob",
    "graphlib",
    "grp",
    "gzip",
    "hashlib",
    "heapq",
    "hmac",
    "html",
    "http",
    "imaplib",
    "imp",
    "importlib",
    "inspect",
    "io",
    "ipaddress",
    "itertools",
    "json",
    "keyword",
    "linecache",
    "locale",
    "logging",
    "lzma",
    "mailbox",
    "marshal",
    "math",
    "mimetypes",
    "mmap",
    "multiprocessing",
    "numbers",
    "operator",
    "optparse",
    "os",
    "pathlib",
    "pdb",
    "pickle",
    "pkgutil",
    "platform",
    "plistlib",
    "posixpath",
    "pprint",
    "profile",
    "pstats",
    "pty",
    "pwd",
    "py_compile",
    "pydoc",
    "queue",
    "quopri",
    "random",
    "re",
    "readline",
    "reprlib",
    "resource",
    "runpy",
    "sched",
    "secrets",
    "select",
    "selectors",
    "shelve",
    "shlex",
    "shutil",
    "signal",
    "site",
    "smtplib",
    "socket",
    "socketserver",
    "dbm",
    "sqlite3",
    "ssl",
    "stat",
    "statistics",
    "string",
    "stringprep",
    "struct",
    "subprocess",
    "symtable",
    "sys",
    "sysconfig",
    "syslog",
    "tarfile",
    "telnetlib",
    "tempfile",
    "termios",
    "textwrap",
    "this",
    "threading",
    "time",
    "timeit",
    "tkinter",
    "token",
    "tokenize",
    "tomllib",
    "trace",
    "traceback",
    "tracemalloc",
    "tty",
    "types",
    "typing",
    "unicodedata",
    "unittest",
    "urllib",
    "urllib2",
    "uuid",
    "venv",
    "warnings",
    "wave",
    "weakref",
    "webbrowser",
    "wsgiref",
    "xml",
    "xmlrpc",
    "zipapp",
    "zipfile",
    "zipimport",
    "zlib",
    "zoneinfo",
];

/// Other libraries that compute, read or show.
const COMMON: &[&str] = &[
    "numpy",
    "pandas",
    "scipy",
    "sklearn",
    "matplotlib",
    "seaborn",
    "plotly",
    "polars",
    "pyarrow",
    "torch",
    "torchvision",
    "tensorflow",
    "keras",
    "jax",
    "transformers",
    "datasets",
    "tokenizers",
    "nltk",
    "spacy",
    "gensim",
    "xgboost",
    "lightgbm",
    "statsmodels",
    "sympy",
    "networkx",
    "requests",
    "httpx",
    "urllib3",
    "aiohttp",
    "bs4",
    "lxml",
    "html5lib",
    "yaml",
    "toml",
    "tomli",
    "tomlkit",
    "simplejson",
    "ujson",
    "orjson",
    "msgpack",
    "jinja2",
    "markdown",
    "markupsafe",
    "docutils",
    "sphinx",
    "click",
    "typer",
    "rich",
    "tqdm",
    "colorama",
    "tabulate",
    "termcolor",
    "pydantic",
    "attr",
    "attrs",
    "marshmallow",
    "jsonschema",
    "dateutil",
    "pytz",
    "tzlocal",
    "arrow",
    "pendulum",
    "regex",
    "six",
    "chardet",
    "charset_normalizer",
    "certifi",
    "idna",
    "cryptography",
    "nacl",
    "jwt",
    "bcrypt",
    "PIL",
    "cv2",
    "skimage",
    "imageio",
    "openpyxl",
    "xlrd",
    "docx",
    "pypdf",
    "PyPDF2",
    "fitz",
    "psutil",
    "cpuinfo",
    "packaging",
    "setuptools",
    "pkg_resources",
    "wheel",
    "pip",
    "pytest",
    "hypothesis",
    "mock",
    "coverage",
    "flask",
    "fastapi",
    "starlette",
    "uvicorn",
    "werkzeug",
    "numba",
    "cython",
    "joblib",
    "dask",
    "duckdb",
    "sqlalchemy",
    "psycopg2",
    "psycopg",
    "pg8000",
    "pymysql",
    "MySQLdb",
    "mysql",
    "apsw",
    "faker",
    "emoji",
    "unidecode",
    "dotenv",
    "decouple",
    "loguru",
    "structlog",
    "more_itertools",
    "toolz",
    "sortedcontainers",
    "cachetools",
    "cffi",
    "tiktoken",
    "path",
    "black",
    "mypy",
    "pylint",
    "flake8",
    "isort",
    "IPython",
    "notebook",
    "onnx",
    "onnxruntime",
    "triton",
    "cupy",
];

pub(super) fn module(name: &str) -> Object {
    let top = name.split('.').next().unwrap_or(name);
    if STANDARD.contains(&top) || COMMON.contains(&top) {
        Object::Native(name.to_owned())
    } else {
        Object::Foreign(name.to_owned())
    }
}

pub(super) fn is_builtin(name: &str) -> bool {
    act(name).is_some()
        || matches!(
            name,
            "print"
                | "len"
                | "range"
                | "zip"
                | "sum"
                | "min"
                | "max"
                | "abs"
                | "round"
                | "int"
                | "float"
                | "bool"
                | "dict"
                | "type"
                | "isinstance"
                | "issubclass"
                | "hasattr"
                | "setattr"
                | "delattr"
                | "dir"
                | "help"
                | "id"
                | "hash"
                | "hex"
                | "oct"
                | "bin"
                | "ord"
                | "pow"
                | "divmod"
                | "all"
                | "any"
                | "super"
                | "object"
                | "property"
                | "staticmethod"
                | "classmethod"
                | "callable"
                | "format"
                | "ascii"
                | "slice"
                | "complex"
                | "memoryview"
                | "breakpoint"
                | "reload"
                | "xrange"
                | "unicode"
                | "long"
                | "__name__"
                | "__file__"
                | "__doc__"
                | "__builtins__"
                | "NotImplemented"
                | "Ellipsis"
                | "copyright"
                | "license"
        )
        || name.ends_with("Error")
        || name.ends_with("Exception")
        || name.ends_with("Warning")
}

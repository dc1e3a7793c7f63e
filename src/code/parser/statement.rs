//! Statements and blocks.

use crate::code::language::Language;
use crate::code::lexer::Tok;
use crate::code::tree::{Expr, Part, Stmt};

use super::Parser;
use super::expression::ITEM;

impl Parser {
    /// Reads one statement.
    pub(super) fn statement(&mut self, out: &mut Vec<Stmt>) {
        if matches!(self.kind(), Some(Tok::Newline | Tok::Indent | Tok::Dedent | Tok::Op(";"))) {
            self.at += 1;
            return;
        }
        let mut found = Vec::new();
        self.deeper((), |parser| parser.compound(&mut found));
        out.append(&mut found);
    }

    fn compound(&mut self, out: &mut Vec<Stmt>) {
        let handled = match self.word().map(str::to_owned) {
            Some(word) => match self.language {
                Language::Python => self.python(&word, out),
                Language::Ruby => self.ruby(&word, out),
                Language::Lua => self.lua(&word, out),
                Language::Node | Language::Php | Language::Perl => self.braced(&word, out),
            },
            None if self.op("{")
                && matches!(self.language, Language::Node | Language::Perl | Language::Php) =>
            {
                let inner = self.braces();
                out.extend(inner);
                true
            }
            None if self.op("@") && self.language == Language::Python => {
                self.at += 1;
                let decorator = self.item();
                out.push(Stmt::Expr(Expr::Plain(vec![decorator])));
                true
            }
            None => false,
        };
        if !handled {
            self.simple(out);
        }
    }

    /// An expression with the modifiers that may follow it.
    fn simple(&mut self, out: &mut Vec<Stmt>) {
        let first = self.expression(1);
        let mut value = first;
        if self.op(",") && self.language != Language::Php {
            let mut list = vec![value];
            while self.eat(",") {
                if !self.starts_operand() && !matches!(self.kind(), Some(Tok::Op("*" | "{" | "-"))) {
                    break;
                }
                list.push(self.item());
            }
            // `a, b = 1, 2`: the last element took the assignment.
            value = match list.pop() {
                Some(Expr::Assign { target, value, adds }) if self.language != Language::Node => {
                    list.push(*target);
                    Expr::Assign { target: Box::new(Expr::List(list)), value, adds }
                }
                Some(last) => {
                    list.push(last);
                    Expr::List(list)
                }
                None => Expr::Plain(Vec::new()),
            };
        }
        // `x: int = 3`
        if self.language == Language::Python && self.op(":") && !matches!(self.kind_at(1), Some(Tok::Newline))
        {
            self.at += 1;
            self.expression(4);
            if self.eat("=") {
                let assigned = self.item();
                value = Expr::Assign { target: Box::new(value), value: Box::new(assigned), adds: false };
            }
        }
        let statement = Stmt::Expr(value);
        out.push(self.modified(statement));
        self.end_of_statement();
    }

    fn end_of_statement(&mut self) {
        if self.eat(";") {
            return;
        }
        match self.kind() {
            None | Some(Tok::Newline | Tok::Dedent | Tok::Indent | Tok::Op("}" | ")")) => {}
            _ if self.new_line() => {}
            Some(Tok::Name(_)) if self.language.ends_with_end() => {}
            _ if self.language.lines_matter() || matches!(self.language, Language::Perl | Language::Php) => {
                // Something that was not understood stands between two statements.
                self.faults = true;
            }
            _ => {}
        }
    }

    /// `statement if condition`, `statement for list` of Perl and Ruby.
    fn modified(&mut self, mut statement: Stmt) -> Stmt {
        if !matches!(self.language, Language::Perl | Language::Ruby) {
            return statement;
        }
        while !self.new_line() || self.language == Language::Perl {
            let Some(word) = self.word().map(str::to_owned) else { break };
            match word.as_str() {
                "if" | "unless" => {
                    self.at += 1;
                    let condition = self.expression(1);
                    statement = Stmt::Branch(vec![condition], vec![vec![statement], Vec::new()]);
                }
                "while" | "until" => {
                    self.at += 1;
                    let condition = self.expression(1);
                    let body = vec![Stmt::Expr(condition), statement];
                    statement = Stmt::Loop { target: None, list: None, body };
                }
                "for" | "foreach" if self.language == Language::Perl => {
                    self.at += 1;
                    let list = self.comma_list();
                    statement = Stmt::Loop {
                        target: Some(Expr::Name("$_".to_owned())),
                        list: Some(list),
                        body: vec![statement],
                    };
                }
                "rescue" => {
                    self.at += 1;
                    let otherwise = Stmt::Expr(self.item());
                    statement = Stmt::Branch(Vec::new(), vec![vec![statement], vec![otherwise]]);
                }
                _ => break,
            }
        }
        statement
    }

    fn comma_list(&mut self) -> Expr {
        let mut list = vec![self.item()];
        while self.eat(",") {
            list.push(self.item());
        }
        if list.len() == 1 { list.remove(0) } else { Expr::List(list) }
    }

    /// Statements in braces; a single statement without.
    pub(super) fn braces(&mut self) -> Vec<Stmt> {
        if !self.eat("{") {
            let mut body = Vec::new();
            if self.kind().is_some() && !self.op("}") {
                self.statement(&mut body);
            }
            return body;
        }
        let body = self.until_brace();
        self.close("}");
        body
    }

    pub(super) fn until_brace(&mut self) -> Vec<Stmt> {
        let mut body = Vec::new();
        let no_in = std::mem::take(&mut self.no_in);
        while !self.op("}") && self.kind().is_some() {
            let before = self.at;
            self.statement(&mut body);
            if self.at == before {
                self.fault();
            }
        }
        self.no_in = no_in;
        body
    }

    /// Statements up to one of these words, which is left.
    pub(super) fn until_words(&mut self, words: &[&str]) -> Vec<Stmt> {
        let mut body = Vec::new();
        let no_do = std::mem::take(&mut self.no_do);
        while self.kind().is_some() && !self.word_in(words) {
            let before = self.at;
            self.statement(&mut body);
            if self.at == before {
                if self.word_in(&["end", "else", "elsif", "elseif", "until"]) || self.op("}") {
                    break;
                }
                self.fault();
            }
        }
        self.no_do = no_do;
        body
    }

    /// The block behind a Python colon.
    fn suite(&mut self) -> Vec<Stmt> {
        let mut body = Vec::new();
        self.eat(":");
        if !matches!(self.kind(), Some(Tok::Newline)) {
            while !matches!(self.kind(), None | Some(Tok::Newline | Tok::Dedent)) {
                let before = self.at;
                self.statement(&mut body);
                if self.at == before {
                    self.fault();
                }
            }
            return body;
        }
        self.at += 1;
        if !matches!(self.kind(), Some(Tok::Indent)) {
            return body;
        }
        self.at += 1;
        while !matches!(self.kind(), None | Some(Tok::Dedent)) {
            let before = self.at;
            self.statement(&mut body);
            if self.at == before {
                self.fault();
            }
        }
        self.at += 1;
        body
    }

    fn python(&mut self, word: &str, out: &mut Vec<Stmt>) -> bool {
        match word {
            "if" | "while" => {
                let mut conditions = Vec::new();
                let mut ways = Vec::new();
                let mut closed = false;
                self.at += 1;
                conditions.push(self.expression(ITEM));
                ways.push(self.suite());
                loop {
                    self.skip_before(&["elif", "else"]);
                    if self.eat_word("elif") {
                        conditions.push(self.expression(ITEM));
                        ways.push(self.suite());
                    } else if self.eat_word("else") {
                        ways.push(self.suite());
                        closed = true;
                    } else {
                        break;
                    }
                }
                if word == "while" {
                    let mut body = conditions.into_iter().map(Stmt::Expr).collect::<Vec<_>>();
                    body.extend(ways.into_iter().flatten());
                    out.push(Stmt::Loop { target: None, list: None, body });
                    return true;
                }
                if !closed {
                    ways.push(Vec::new());
                }
                out.push(Stmt::Branch(conditions, ways));
            }
            "for" => {
                self.at += 1;
                let target = self.targets();
                self.eat_word("in");
                let list = self.comma_list();
                let body = self.suite();
                out.push(Stmt::Loop { target: Some(target), list: Some(list), body });
                self.skip_before(&["else"]);
                if self.eat_word("else") {
                    let otherwise = self.suite();
                    out.extend(otherwise);
                }
            }
            "try" => {
                self.at += 1;
                let body = self.suite();
                out.extend(body);
                loop {
                    self.skip_before(&["except", "else", "finally"]);
                    if self.eat_word("except") {
                        self.eat("*");
                        if !self.op(":") {
                            self.expression(ITEM);
                            while self.eat(",") {
                                self.expression(ITEM);
                            }
                            if self.eat_word("as") {
                                self.at += 1;
                            }
                        }
                        let handler = self.suite();
                        out.push(Stmt::Branch(Vec::new(), vec![handler, Vec::new()]));
                    } else if self.eat_word("else") || self.eat_word("finally") {
                        let last = self.suite();
                        out.extend(last);
                    } else {
                        break;
                    }
                }
            }
            "with" => {
                self.at += 1;
                let brackets = self.op("(") && self.as_inside();
                self.at += usize::from(brackets);
                loop {
                    let value = self.expression(ITEM);
                    let target = self.eat_word("as").then(|| self.postfix());
                    out.push(Stmt::With(value, target));
                    if !self.eat(",") {
                        break;
                    }
                }
                if brackets {
                    self.close(")");
                }
                let body = self.suite();
                out.extend(body);
            }
            "def" => {
                self.at += 1;
                let name = self.name().unwrap_or_default();
                let parameters = if self.op("(") { self.parameters() } else { Vec::new() };
                if self.eat("->") {
                    self.expression(ITEM);
                }
                let body = self.suite();
                out.push(define(name, parameters, body));
            }
            "class" => {
                self.at += 1;
                let name = self.name().unwrap_or_default();
                if self.op("(") {
                    self.arguments();
                }
                let body = self.suite();
                out.push(Stmt::Class(name, body));
            }
            "async" => self.at += 1,
            "match" if matches!(self.kind_at(1), Some(Tok::Name(_))) => {
                self.at += 1;
                let subject = self.item();
                let body = self.suite();
                out.push(Stmt::Branch(vec![subject], vec![body, Vec::new()]));
            }
            "case" if matches!(self.kind_at(1), Some(Tok::Name(_) | Tok::Text(_) | Tok::Number(_))) => {
                self.at += 1;
                self.expression(1);
                let body = self.suite();
                out.push(Stmt::Branch(Vec::new(), vec![body, Vec::new()]));
            }
            "import" => {
                self.at += 1;
                loop {
                    let Some(name) = self.dotted() else { break };
                    let bound = if self.eat_word("as") {
                        self.name().unwrap_or_default()
                    } else {
                        name.split('.').next().unwrap_or_default().to_owned()
                    };
                    // `import a.b` binds `a`, and so does `import a.b as c` bind the whole.
                    let name = if name.contains('.') && name.starts_with(&format!("{bound}.")) {
                        bound.clone()
                    } else {
                        name
                    };
                    out.push(Stmt::Import { name, bound });
                    if !self.eat(",") {
                        break;
                    }
                }
            }
            "from" => {
                self.at += 1;
                let mut module = String::new();
                while self.eat(".") || self.eat("...") || self.eat("..") {
                    module.push('.');
                }
                if !self.is_word("import") {
                    module.push_str(&self.dotted().unwrap_or_default());
                }
                self.eat_word("import");
                let brackets = self.eat("(");
                if self.eat("*") {
                    out.push(Stmt::Import { name: module.clone(), bound: "*".to_owned() });
                }
                while let Some(name) = self.name() {
                    let bound =
                        if self.eat_word("as") { self.name().unwrap_or_default() } else { name.clone() };
                    out.push(Stmt::Import { name: format!("{module}.{name}"), bound });
                    if !self.eat(",") {
                        break;
                    }
                }
                if brackets {
                    self.close(")");
                }
            }
            "return" | "raise" => {
                self.at += 1;
                let value = (!matches!(self.kind(), None | Some(Tok::Newline | Tok::Op(";"))))
                    .then(|| self.comma_list());
                if word == "raise" && self.eat_word("from") {
                    self.item();
                }
                out.push(Stmt::Return(value));
            }
            "pass" | "break" | "continue" => self.at += 1,
            "del" | "assert" | "global" | "nonlocal" => {
                self.at += 1;
                let list = self.comma_list();
                out.push(Stmt::Expr(Expr::Plain(vec![list])));
            }
            _ => return false,
        }
        true
    }

    /// Passes line ends in front of one of these words, and of nothing else.
    fn skip_before(&mut self, words: &[&str]) {
        let mut ahead = 0;
        while matches!(self.kind_at(ahead), Some(Tok::Newline)) {
            ahead += 1;
        }
        if matches!(self.kind_at(ahead), Some(Tok::Name(name)) if words.contains(&name.as_str())) {
            self.at += ahead;
        }
    }

    fn as_inside(&self) -> bool {
        let close = self.partners.get(self.at).copied().unwrap_or(usize::MAX).min(self.tokens.len());
        self.tokens
            .get(self.at..close)
            .unwrap_or_default()
            .iter()
            .any(|t| t.kind == Tok::Name("as".to_owned()))
    }

    fn dotted(&mut self) -> Option<String> {
        let mut name = self.name()?;
        while self.op(".") {
            self.at += 1;
            name.push('.');
            name.push_str(&self.name().unwrap_or_default());
        }
        Some(name)
    }

    /// JavaScript, PHP, Perl.
    fn braced(&mut self, word: &str, out: &mut Vec<Stmt>) -> bool {
        let language = self.language;
        let next_is_key = matches!(self.kind_at(1), Some(Tok::Op(":" | "=>" | "," | "=" | "." | "->")));
        match word {
            _ if next_is_key && word != "default" && !matches!(word, "return") => return false,
            "if" | "unless" => {
                let mut conditions = Vec::new();
                let mut ways = Vec::new();
                let mut closed = false;
                self.at += 1;
                conditions.extend(self.head());
                ways.push(self.braces());
                loop {
                    let again = self.eat_word("elsif")
                        || self.eat_word("elseif")
                        || (self.is_word("else")
                            && matches!(self.kind_at(1), Some(Tok::Name(n)) if n == "if")
                            && {
                                self.at += 2;
                                true
                            });
                    if again {
                        conditions.extend(self.head());
                        ways.push(self.braces());
                    } else if self.eat_word("else") {
                        ways.push(self.braces());
                        closed = true;
                    } else {
                        break;
                    }
                }
                if !closed {
                    ways.push(Vec::new());
                }
                out.push(Stmt::Branch(conditions, ways));
            }
            "while" | "until" | "switch" => {
                self.at += 1;
                let mut body = self.head().into_iter().map(Stmt::Expr).collect::<Vec<_>>();
                body.extend(self.braces());
                out.push(Stmt::Loop { target: None, list: None, body });
            }
            "do" if self.op_at(1, "{") => {
                self.at += 1;
                let body = self.braces();
                out.extend(body);
                if self.word_in(&["while", "until"]) {
                    self.at += 1;
                    let condition = self.expression(1);
                    out.push(Stmt::Expr(condition));
                }
            }
            "for" | "foreach" => self.braced_loop(out),
            "try" | "finally" => {
                self.at += 1;
                let body = self.braces();
                out.extend(body);
            }
            "catch" => {
                self.at += 1;
                if self.op("(") {
                    self.at =
                        self.partners.get(self.at).copied().unwrap_or(usize::MAX).min(self.tokens.len());
                    self.close(")");
                }
                let body = self.braces();
                out.push(Stmt::Branch(Vec::new(), vec![body, Vec::new()]));
            }
            "case" | "default" if language != Language::Perl => {
                self.at += 1;
                if word == "case" {
                    let condition = self.item();
                    out.push(Stmt::Expr(condition));
                }
                self.eat(":");
            }
            "function" | "sub" if matches!(self.kind_at(1), Some(Tok::Name(_) | Tok::Op("*" | "&"))) => {
                self.at += 1;
                self.eat("*");
                self.eat("&");
                let name = self.name().unwrap_or_default();
                let (parameters, body) = if language == Language::Perl {
                    if self.op("(") {
                        self.at =
                            self.partners.get(self.at).copied().unwrap_or(usize::MAX).min(self.tokens.len());
                        self.close(")");
                    }
                    (Vec::new(), self.braces())
                } else {
                    match self.function_rest() {
                        Expr::Function(function) => {
                            out.push(Stmt::Define(name, function));
                            return true;
                        }
                        _ => (Vec::new(), Vec::new()),
                    }
                };
                if matches!(name.as_str(), "BEGIN" | "END" | "INIT") {
                    out.extend(body);
                } else {
                    out.push(define(name, parameters, body));
                }
            }
            "BEGIN" | "END" | "INIT" if language == Language::Perl && self.op_at(1, "{") => {
                self.at += 1;
                let body = self.braces();
                out.extend(body);
            }
            "async" if matches!(self.kind_at(1), Some(Tok::Name(n)) if n == "function") => self.at += 1,
            "const" | "let" | "var" | "static" | "public" | "private" | "protected" | "export"
            | "declare" | "global"
                if language != Language::Perl =>
            {
                self.at += 1;
                if word == "export" {
                    self.eat_word("default");
                } else if matches!(word, "const" | "let" | "var") {
                    self.simple(out);
                }
            }
            "class" | "interface" | "trait" | "namespace" if language != Language::Perl => {
                self.at += 1;
                let name = self.name().unwrap_or_default();
                while !self.op("{") && !self.op(";") && self.kind().is_some() {
                    self.at += 1;
                }
                let body = self.class_body();
                out.push(Stmt::Class(name, body));
            }
            "import" if language == Language::Node && !self.op_at(1, "(") => self.node_import(out),
            "use" | "no" if language != Language::Node => self.use_module(out),
            "package" if language == Language::Perl => {
                self.at += 2;
            }
            "return" | "throw" => {
                self.at += 1;
                let value = (self.starts_operand() || matches!(self.kind(), Some(Tok::Op("{" | "-" | "+"))))
                    .then(|| self.comma_list());
                let statement = self.modified(Stmt::Return(value));
                out.push(statement);
                self.eat(";");
            }
            "break" | "continue" | "next" | "last" | "redo" | "debugger" => {
                self.at += 1;
                if matches!(self.kind(), Some(Tok::Name(name)) if name.chars().all(char::is_uppercase)) {
                    self.at += 1;
                }
                let statement = self.modified(Stmt::Expr(Expr::Plain(Vec::new())));
                out.push(statement);
                self.eat(";");
            }
            _ => return false,
        }
        true
    }

    /// Members of a class.
    fn class_body(&mut self) -> Vec<Stmt> {
        let mut body = Vec::new();
        if !self.eat("{") {
            return body;
        }
        while !self.op("}") && self.kind().is_some() {
            let before = self.at;
            while self.word_in(&[
                "static",
                "async",
                "get",
                "set",
                "public",
                "private",
                "protected",
                "readonly",
                "function",
            ]) && matches!(self.kind_at(1), Some(Tok::Name(_) | Tok::Variable(_)))
            {
                self.at += 1;
            }
            match (self.kind().cloned(), self.op_at(1, "(")) {
                (Some(Tok::Name(name)), true) => {
                    self.at += 1;
                    if let Expr::Function(function) = self.function_rest() {
                        body.push(Stmt::Define(name, function));
                    }
                }
                _ => self.statement(&mut body),
            }
            if self.at == before {
                self.fault();
            }
        }
        self.close("}");
        body
    }

    /// A condition in parentheses.
    fn head(&mut self) -> Vec<Expr> {
        if self.op("(") { self.list("(") } else { vec![self.expression(ITEM)] }
    }

    fn braced_loop(&mut self, out: &mut Vec<Stmt>) {
        self.at += 1;
        self.eat_word("await");
        let mut target = None;
        if self.language == Language::Perl {
            while self.word_in(&["my", "our", "local", "state"]) {
                self.at += 1;
            }
            target = match self.kind().cloned() {
                Some(Tok::Variable(name)) => {
                    self.at += 1;
                    Some(Expr::Name(name))
                }
                _ => Some(Expr::Name("$_".to_owned())),
            };
        }
        let close = self.partners.get(self.at).copied().unwrap_or(usize::MAX).min(self.tokens.len());
        let head = self.tokens.get(self.at..close).unwrap_or_default();
        let counted = head.iter().any(|token| token.kind == Tok::Op(";"));
        if counted || !self.op("(") {
            let parts = self.head();
            let mut body = parts.into_iter().map(Stmt::Expr).collect::<Vec<_>>();
            body.extend(self.braces());
            out.push(Stmt::Loop { target: None, list: None, body });
            return;
        }
        let list = match self.language {
            Language::Perl => Some(Expr::List(self.list("("))),
            Language::Php => {
                self.at += 1;
                let list = self.item();
                self.eat_word("as");
                target = Some(self.item());
                if self.eat("=>") {
                    target = Some(self.item());
                }
                self.close(")");
                Some(list)
            }
            _ => {
                self.at += 1;
                while self.word_in(&["const", "let", "var"]) {
                    self.at += 1;
                }
                target = Some(self.targets());
                self.eat_word("of");
                self.eat_word("in");
                let list = self.item();
                self.close(")");
                Some(list)
            }
        };
        let body = self.braces();
        out.push(Stmt::Loop { target, list, body });
    }

    /// `import a, {b as c}, * as d from 'm'`
    fn node_import(&mut self, out: &mut Vec<Stmt>) {
        self.at += 1;
        self.eat_word("type");
        let mut names: Vec<(Option<String>, String)> = Vec::new();
        let mut module = None;
        while self.kind().is_some() && module.is_none() {
            match self.kind().cloned() {
                Some(Tok::Text(pieces)) => {
                    let parts = self.parts(&pieces);
                    if let [Part::Text(text)] = parts.as_slice() {
                        module = Some(text.clone());
                    }
                    self.at += 1;
                    break;
                }
                Some(Tok::Op("*")) => {
                    self.at += 1;
                    self.eat_word("as");
                    let bound = self.name().unwrap_or_default();
                    names.push((None, bound));
                }
                Some(Tok::Op("{")) => {
                    self.at += 1;
                    while let Some(name) = self.name() {
                        let bound =
                            if self.eat_word("as") { self.name().unwrap_or_default() } else { name.clone() };
                        names.push((Some(name), bound));
                        if !self.eat(",") {
                            break;
                        }
                    }
                    self.close("}");
                }
                Some(Tok::Name(name)) => {
                    self.at += 1;
                    if name != "from" {
                        names.push((None, name));
                    }
                }
                _ => self.at += 1,
            }
        }
        let module = module.unwrap_or_default();
        if names.is_empty() {
            out.push(Stmt::Import { name: module.clone(), bound: String::new() });
        }
        for (member, bound) in names {
            let name = match member {
                Some(member) if member != "default" => format!("{module}\u{0}{member}"),
                _ => module.clone(),
            };
            out.push(Stmt::Import { name, bound });
        }
        self.eat(";");
    }

    /// `use File::Path qw(rmtree);`
    fn use_module(&mut self, out: &mut Vec<Stmt>) {
        self.at += 1;
        if let Some(name) = self.name() {
            out.push(Stmt::Import { name, bound: String::new() });
        }
        while !self.op(";") && self.kind().is_some() && !self.op("}") {
            self.at += 1;
        }
        self.eat(";");
    }

    fn ruby(&mut self, word: &str, out: &mut Vec<Stmt>) -> bool {
        match word {
            "if" | "unless" | "case" => {
                self.at += 1;
                let mut conditions = Vec::new();
                let mut ways = Vec::new();
                let mut closed = word == "case";
                if !(word == "case" && self.is_word("when")) {
                    conditions.push(self.expression(1));
                }
                self.eat_word("then");
                self.eat(";");
                ways.push(self.until_words(&["elsif", "else", "when", "in", "end"]));
                loop {
                    if self.eat_word("elsif") || self.eat_word("when") || self.eat_word("in") {
                        conditions.push(self.comma_list());
                        self.eat_word("then");
                    } else if self.eat_word("else") {
                        closed = true;
                    } else {
                        break;
                    }
                    ways.push(self.until_words(&["elsif", "else", "when", "in", "end"]));
                }
                self.eat_word("end");
                if !closed {
                    ways.push(Vec::new());
                }
                out.push(Stmt::Branch(conditions, ways));
            }
            "while" | "until" => {
                self.at += 1;
                let no_do = std::mem::replace(&mut self.no_do, true);
                let condition = self.expression(1);
                self.no_do = no_do;
                self.eat_word("do");
                let mut body = vec![Stmt::Expr(condition)];
                body.extend(self.until_words(&["end"]));
                self.eat_word("end");
                out.push(Stmt::Loop { target: None, list: None, body });
            }
            "for" => {
                self.at += 1;
                let target = self.targets();
                self.eat_word("in");
                let no_do = std::mem::replace(&mut self.no_do, true);
                let list = self.comma_list();
                self.no_do = no_do;
                self.eat_word("do");
                let body = self.until_words(&["end"]);
                self.eat_word("end");
                out.push(Stmt::Loop { target: Some(target), list: Some(list), body });
            }
            "begin" => {
                self.at += 1;
                let body = self.until_words(&["rescue", "else", "ensure", "end"]);
                out.extend(body);
                while self.word_in(&["rescue", "else", "ensure"]) {
                    self.at += 1;
                    if !self.new_line() && self.starts_operand() {
                        self.comma_list();
                        if self.eat("=>") {
                            self.at += 1;
                        }
                    }
                    let way = self.until_words(&["rescue", "else", "ensure", "end"]);
                    out.push(Stmt::Branch(Vec::new(), vec![way, Vec::new()]));
                }
                self.eat_word("end");
            }
            "def" => {
                self.at += 1;
                let mut name = self.name().unwrap_or_default();
                if self.eat(".") {
                    name = self.name().unwrap_or_default();
                }
                let mut parameters = Vec::new();
                if self.op("(") {
                    parameters = self.parameters();
                } else {
                    while !self.new_line() && matches!(self.kind(), Some(Tok::Name(_))) {
                        parameters.push(Expr::Name(self.name().unwrap_or_default()));
                        self.eat(",");
                    }
                }
                let body = self.until_words(&["end", "rescue", "ensure"]);
                while self.word_in(&["rescue", "ensure"]) {
                    self.at += 1;
                    let _ = self.until_words(&["end", "rescue", "ensure"]);
                }
                self.eat_word("end");
                out.push(define(name, parameters, body));
            }
            "class" | "module" => {
                self.at += 1;
                let name = self.name().unwrap_or_default();
                while !self.new_line() && !self.op(";") && self.kind().is_some() {
                    self.at += 1;
                }
                let body = self.until_words(&["end"]);
                self.eat_word("end");
                out.push(Stmt::Class(name, body));
            }
            "BEGIN" | "END" if self.op_at(1, "{") => {
                self.at += 1;
                let body = self.braces();
                out.extend(body);
            }
            "return" | "raise" => {
                self.at += 1;
                let value = (!self.new_line() && self.starts_operand()).then(|| self.comma_list());
                let statement = self.modified(Stmt::Return(value));
                out.push(statement);
            }
            "next" | "break" | "redo" => {
                self.at += 1;
                let value = (!self.new_line() && self.starts_operand()).then(|| self.item());
                let statement = self.modified(Stmt::Expr(Expr::Plain(value.into_iter().collect())));
                out.push(statement);
            }
            "end" | "then" => self.fault(),
            _ => return false,
        }
        true
    }

    fn lua(&mut self, word: &str, out: &mut Vec<Stmt>) -> bool {
        match word {
            "local" => self.at += 1,
            "if" => {
                self.at += 1;
                let mut conditions = vec![self.item()];
                self.eat_word("then");
                let mut ways = vec![self.until_words(&["elseif", "else", "end"])];
                while self.word_in(&["elseif", "else"]) {
                    if self.eat_word("elseif") {
                        conditions.push(self.item());
                        self.eat_word("then");
                    } else {
                        self.at += 1;
                    }
                    ways.push(self.until_words(&["elseif", "else", "end"]));
                }
                self.eat_word("end");
                ways.push(Vec::new());
                out.push(Stmt::Branch(conditions, ways));
            }
            "while" | "repeat" | "do" => {
                self.at += 1;
                let mut body = Vec::new();
                if word == "while" {
                    body.push(Stmt::Expr(self.item()));
                    self.eat_word("do");
                }
                body.extend(self.until_words(&["end", "until"]));
                if self.eat_word("until") {
                    body.push(Stmt::Expr(self.item()));
                } else {
                    self.eat_word("end");
                }
                out.push(Stmt::Loop { target: None, list: None, body });
            }
            "for" => {
                self.at += 1;
                let target = self.targets();
                self.eat_word("in");
                let list = self.comma_list();
                self.eat_word("do");
                let body = self.until_words(&["end"]);
                self.eat_word("end");
                out.push(Stmt::Loop { target: Some(target), list: Some(list), body });
            }
            "function" if matches!(self.kind_at(1), Some(Tok::Name(_))) => {
                self.at += 1;
                let mut name = self.dotted().unwrap_or_default();
                if self.eat(":") {
                    name = self.name().unwrap_or_default();
                }
                if let Expr::Function(function) = self.function_rest() {
                    out.push(Stmt::Define(name, function));
                }
            }
            "return" => {
                self.at += 1;
                let value = self.starts_operand().then(|| self.comma_list());
                out.push(Stmt::Return(value));
            }
            "break" => self.at += 1,
            "end" | "then" => self.fault(),
            _ => return false,
        }
        true
    }
}

fn define(name: String, parameters: Vec<Expr>, body: Vec<Stmt>) -> Stmt {
    Stmt::Define(name, std::rc::Rc::new(crate::code::tree::Function { parameters, body }))
}

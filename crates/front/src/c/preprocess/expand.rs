//! Macros and their expansion: each token remembers the macros that it comes from, and those are not expanded in it again.

use super::Flaw;
use super::token::{Kind, Token, lines};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// An expansion with more steps than this is refused.
const MOST_STEPS: usize = 5_000_000;
/// Arguments may be nested so deeply.
const DEEPEST: usize = 100;

/// A macro.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Macro {
    /// The parameters, if it has a list of them.
    parameters: Option<Vec<String>>,
    is_variadic: bool,
    body: Vec<Token>,
}

/// The macros that are defined.
#[derive(Default)]
pub(super) struct Macros(FxHashMap<String, Macro>);

impl Macro {
    /// Reads what follows `#define`.
    pub fn read(rest: &[Token]) -> Result<(String, Macro), Flaw> {
        let name = rest.first().filter(|t| t.kind == Kind::Name).ok_or("`#define` needs a name")?;
        let is_function = rest.get(1).is_some_and(|t| t.text == "(" && !t.space);
        let mut body = 1;
        let (mut parameters, mut is_variadic) = (None, false);
        if is_function {
            let end = rest.iter().position(|t| t.text == ")").ok_or("a list of parameters does not end")?;
            let mut list = Vec::new();
            for (n, t) in rest[2..end].iter().enumerate() {
                match (n % 2, t.kind, t.text.as_str()) {
                    (0, _, "...") if n + 3 == end => is_variadic = true,
                    (0, Kind::Name, name) if name != "__VA_ARGS__" => list.push(name.to_string()),
                    (1, _, ",") => {}
                    _ => return Err("malformed parameter list".into()),
                }
            }
            let is_whole = end == 2 || (end - 2) % 2 == 1;
            if !is_whole {
                return Err("malformed parameter list".into());
            }
            parameters = Some(list);
            body = end + 1;
        }
        let body = rest[body..].to_vec();
        let is_odd = |t: &Token| t.text == "__VA_OPT__" || t.text == "_Pragma";
        if body.iter().any(is_odd) || body.first().or(body.last()).is_some_and(|t| t.text == "##") {
            return Err("unsupported macro definition".into());
        }
        Ok((name.text.clone(), Macro { parameters, is_variadic, body }))
    }

    /// The position of a parameter.
    fn parameter(&self, name: &Token) -> Option<usize> {
        let list = self.parameters.as_ref()?;
        let variadic = (self.is_variadic && name.text == "__VA_ARGS__").then_some(list.len());
        list.iter().position(|p| *p == name.text).or(variadic)
    }
}

impl Macros {
    pub fn contains(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    pub fn remove(&mut self, name: &str) {
        self.0.remove(name);
    }

    /// Defines a macro; another definition than the one that there is is refused.
    pub fn insert(&mut self, name: String, definition: Macro) -> Result<(), Flaw> {
        match self.0.get(&name) {
            Some(old) if *old != definition => Err(format!("`{name}` is defined twice").into()),
            _ => {
                self.0.insert(name, definition);
                Ok(())
            }
        }
    }

    /// Replaces all macros in some tokens.
    pub fn expand(&self, tokens: Vec<Token>) -> Result<Vec<Token>, Flaw> {
        let mut steps = MOST_STEPS;
        self.expand_within(tokens, &mut steps, 0)
    }

    fn expand_within(&self, tokens: Vec<Token>, steps: &mut usize, depth: usize) -> Result<Vec<Token>, Flaw> {
        if depth > DEEPEST {
            return Err("calls of macros are nested too deeply".into());
        }
        // The tokens that are left, the next one last.
        let mut rest: Vec<Token> = tokens;
        rest.reverse();
        let mut out = Vec::with_capacity(rest.len());
        while let Some(token) = rest.pop() {
            *steps = steps.checked_sub(1).ok_or("the macros expand to too much")?;
            let found = match token.kind {
                Kind::Name if token.hidden.iter().any(|h| **h == *token.text) => None,
                Kind::Name => self.0.get(&token.text),
                _ => None,
            };
            let Some(definition) = found else {
                out.push(token);
                continue;
            };
            let mut hidden = token.hidden.clone();
            let arguments = match &definition.parameters {
                None => Vec::new(),
                Some(_) if rest.last().is_none_or(|t| t.text != "(") => {
                    // Whether a parenthesis follows after the text that is at hand, such as behind a directive, is not known.
                    if rest.is_empty() {
                        return Err(
                            format!("the name of the macro `{}` without its arguments", token.text).into()
                        );
                    }
                    out.push(token);
                    continue;
                }
                Some(parameters) => {
                    let (arguments, close) = arguments(&mut rest)?;
                    hidden.retain(|h| close.hidden.contains(h));
                    fitted(arguments, parameters.len(), definition.is_variadic)
                        .ok_or_else(|| format!("the macro `{}` has other parameters", token.text))?
                }
            };
            hidden.push(Rc::from(token.text.as_str()));
            let mut replaced = self.replace(definition, &arguments, steps, depth)?;
            for t in &mut replaced {
                hidden
                    .iter()
                    .filter(|h| !t.hidden.contains(h))
                    .cloned()
                    .collect::<Vec<_>>()
                    .into_iter()
                    .for_each(|h| t.hidden.push(h));
            }
            *steps = steps.checked_sub(replaced.len()).ok_or("the macros expand to too much")?;
            rest.extend(replaced.into_iter().rev());
        }
        Ok(out)
    }

    /// The body of a macro with its arguments.
    fn replace(
        &self,
        definition: &Macro,
        arguments: &[Vec<Token>],
        steps: &mut usize,
        depth: usize,
    ) -> Result<Vec<Token>, Flaw> {
        let body = &definition.body;
        let mut out: Vec<Token> = Vec::with_capacity(body.len());
        let mut expanded: Vec<Option<Vec<Token>>> = vec![None; arguments.len()];
        let mut at = 0;
        while let Some(token) = body.get(at) {
            let is_pasted = |n: usize| body.get(n).is_some_and(|t| t.text == "##");
            if token.text == "#" && definition.parameters.is_some() {
                let n = body
                    .get(at + 1)
                    .and_then(|t| definition.parameter(t))
                    .ok_or("`#` without a parameter")?;
                out.push(stringized(&arguments[n], token.space)?);
                at += 2;
                continue;
            }
            if token.text == "##" {
                let right = body.get(at + 1).ok_or("`##` at the end of a macro")?;
                let right = match definition.parameter(right) {
                    Some(n) => arguments[n].clone(),
                    None => vec![right.clone()],
                };
                let left = out.pop().ok_or("`##` without a left side")?;
                let mut right = right.into_iter();
                let first = right.next().ok_or("`##` with nothing on one side")?;
                out.push(pasted(&left, &first)?);
                out.extend(right);
                at += 2;
                continue;
            }
            match definition.parameter(token) {
                Some(n) if is_pasted(at + 1) => {
                    if arguments[n].is_empty() {
                        return Err("`##` with nothing on one side".into());
                    }
                    out.extend(arguments[n].iter().cloned());
                }
                Some(n) => {
                    if expanded[n].is_none() {
                        expanded[n] = Some(self.expand_within(arguments[n].clone(), steps, depth + 1)?);
                    }
                    out.extend(expanded[n].iter().flatten().cloned());
                }
                None => out.push(token.clone()),
            }
            at += 1;
        }
        Ok(out)
    }
}

/// The arguments of a call whose opening parenthesis comes next, and the closing one.
fn arguments(rest: &mut Vec<Token>) -> Result<(Vec<Vec<Token>>, Token), Flaw> {
    rest.pop();
    let (mut all, mut current, mut open) = (Vec::new(), Vec::new(), 0usize);
    loop {
        let token = rest.pop().ok_or("a call of a macro does not end")?;
        match token.text.as_str() {
            ")" if open == 0 => {
                all.push(current);
                return Ok((all, token));
            }
            "," if open == 0 => {
                all.push(std::mem::take(&mut current));
                continue;
            }
            "(" => open += 1,
            ")" => open -= 1,
            _ => {}
        }
        current.push(token);
    }
}

/// The arguments of a macro with so many parameters, the variable ones together.
fn fitted(mut arguments: Vec<Vec<Token>>, count: usize, is_variadic: bool) -> Option<Vec<Vec<Token>>> {
    if count == 0 && !is_variadic {
        return (arguments.len() == 1 && arguments[0].is_empty()).then(Vec::new);
    }
    if !is_variadic {
        return (arguments.len() == count).then_some(arguments);
    }
    if arguments.len() <= count {
        return None;
    }
    let mut last: Vec<Token> = Vec::new();
    for (n, argument) in arguments.split_off(count).into_iter().enumerate() {
        if n > 0 {
            last.push(Token { kind: Kind::Other, text: ",".into(), space: false, hidden: Vec::new() });
        }
        last.extend(argument);
    }
    arguments.push(last);
    Some(arguments)
}

/// An argument as a string.
fn stringized(argument: &[Token], space: bool) -> Result<Token, Flaw> {
    let mut text = String::from("\"");
    for (n, token) in argument.iter().enumerate() {
        if n > 0 && token.space {
            text.push(' ');
        }
        if !token.text.is_ascii() {
            return Err("a character outside of ASCII in a string that a macro makes".into());
        }
        match token.kind {
            Kind::Literal => token.text.chars().for_each(|c| {
                if c == '"' || c == '\\' {
                    text.push('\\');
                }
                text.push(c);
            }),
            _ => text.push_str(&token.text),
        }
    }
    text.push('"');
    Ok(Token { kind: Kind::Literal, text, space, hidden: Vec::new() })
}

/// Two tokens as one.
fn pasted(left: &Token, right: &Token) -> Result<Token, Flaw> {
    let text = format!("{}{}", left.text, right.text);
    let made = lines(text.as_bytes())?;
    match made.as_slice() {
        [line] if line.len() == 1 => Ok(Token { space: left.space, hidden: Vec::new(), ..line[0].clone() }),
        _ => Err(format!("`{text}` is not a valid token").into()),
    }
}

//! Minimal reader of XML: tags with their attributes, and the text between them.
//!
//! Comments, processing instructions, declarations and CDATA marks are skipped. Entities in
//! attribute values are replaced. Nesting is left to the caller.

use std::borrow::Cow;

/// A part of a document.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum XmlPart<'a> {
    Open(XmlTag<'a>),
    Close(&'a str),
    Text(&'a str),
}

/// An opening tag.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct XmlTag<'a> {
    /// Name without a namespace.
    pub name: &'a str,
    attributes: &'a str,
    /// `true` for a tag that closes itself.
    pub is_empty: bool,
}

impl<'a> XmlTag<'a> {
    /// Returns the value of an attribute.
    pub fn attribute(&self, name: &str) -> Option<Cow<'a, str>> {
        let mut rest = self.attributes;
        loop {
            let (key, after) = rest.split_once('=')?;
            let after = after.trim_start();
            let quote = after.chars().next().filter(|it| matches!(it, '"' | '\''))?;
            let (value, after) = after[1..].split_once(quote)?;
            if without_namespace(key.trim()) == name {
                return Some(replace_entities(value));
            }
            rest = after;
        }
    }

    /// Returns an attribute as a number; `None` if it is missing or not a number.
    pub fn number<T: std::str::FromStr>(&self, name: &str) -> Option<T> {
        self.attribute(name)?.trim().parse().ok()
    }
}

/// Parts of a document, from front to back.
pub(super) struct XmlParts<'a> {
    text: &'a str,
    remaining: &'a str,
}

impl<'a> XmlParts<'a> {
    /// Starts at the first character of `text`.
    pub fn new(text: &'a str) -> Self {
        Self {
            text,
            remaining: text,
        }
    }

    /// Returns the offset of the end of the part that was returned last, in bytes.
    pub fn offset(&self) -> usize {
        self.text.len() - self.remaining.len()
    }
}

impl<'a> Iterator for XmlParts<'a> {
    type Item = XmlPart<'a>;

    fn next(&mut self) -> Option<XmlPart<'a>> {
        loop {
            if self.remaining.is_empty() {
                return None;
            }
            let Some(tag) = self.remaining.strip_prefix('<') else {
                let end = self.remaining.find('<').unwrap_or(self.remaining.len());
                let (text, rest) = self.remaining.split_at(end);
                self.remaining = rest;
                return Some(XmlPart::Text(text));
            };
            let skipped = [("!--", "-->"), ("?", "?>"), ("![CDATA[", ""), ("!", ">")];
            if let Some((start, end)) = skipped.iter().find(|(start, _)| tag.starts_with(start)) {
                let content = &tag[start.len()..];
                let length = content.find(end).map_or(content.len(), |at| at + end.len());
                self.remaining = &content[length..];
                continue;
            }
            let end = tag_end(tag)?;
            let content = &tag[..end];
            self.remaining = &tag[end + 1..];
            if let Some(name) = content.strip_prefix('/') {
                return Some(XmlPart::Close(without_namespace(name.trim())));
            }
            let is_empty = content.ends_with('/');
            let content = content.strip_suffix('/').unwrap_or(content);
            let name_end = content.find(char::is_whitespace).unwrap_or(content.len());
            let (name, attributes) = content.split_at(name_end);
            return Some(XmlPart::Open(XmlTag {
                name: without_namespace(name),
                attributes,
                is_empty,
            }));
        }
    }
}

/// Returns the index of the `>` of a tag, outside of quotes.
fn tag_end(tag: &str) -> Option<usize> {
    let mut quote = None;
    for (index, byte) in tag.bytes().enumerate() {
        match (quote, byte) {
            (Some(open), byte) if open == byte => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'>') => return Some(index),
            (None, _) => {}
        }
    }
    None
}

fn without_namespace(name: &str) -> &str {
    name.rsplit_once(':').map_or(name, |(_, name)| name)
}

fn replace_entities(text: &str) -> Cow<'_, str> {
    if !text.contains('&') {
        return Cow::Borrowed(text);
    }
    let entities = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&apos;", "'"),
        ("&#181;", "µ"),
        ("&#xB5;", "µ"),
        ("&#xb5;", "µ"),
        ("&amp;", "&"),
    ];
    let replace = |text: String, (entity, symbol): &(&str, &str)| text.replace(entity, symbol);
    Cow::Owned(entities.iter().fold(text.to_owned(), replace))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_attributes_and_text_are_found() {
        let text = "<?xml version=\"1.0\"?><!-- a > b --><a:Root x = '1' name=\"a&lt;&gt;b\">\n\
                    <Leaf y=\"2>\"/>text</a:Root>";
        let parts: Vec<_> = XmlParts::new(text).collect();
        let XmlPart::Open(root) = &parts[0] else {
            panic!("{parts:?}")
        };
        assert_eq!((root.name, root.is_empty), ("Root", false));
        assert_eq!(root.number::<u32>("x"), Some(1));
        assert_eq!(root.attribute("name").unwrap(), "a<>b");
        assert_eq!(root.attribute("y"), None);
        let XmlPart::Open(leaf) = &parts[2] else {
            panic!("{parts:?}")
        };
        assert_eq!((leaf.name, leaf.is_empty), ("Leaf", true));
        assert_eq!(leaf.attribute("y").unwrap(), "2>");
        assert_eq!(parts[3..], [XmlPart::Text("text"), XmlPart::Close("Root")]);
    }

    #[test]
    fn damaged_documents_end() {
        for text in ["<", "<a", "<a x=", "<a x='", "<!--", "<?", "</", "<a x='>"] {
            assert!(XmlParts::new(text).count() <= 1, "{text}");
        }
    }
}

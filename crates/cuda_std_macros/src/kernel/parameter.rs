//! What a parameter of a kernel is, and how it crosses from the host to the device.

use syn::spanned::Spanned;
use syn::visit_mut::VisitMut;
use syn::{FnArg, GenericArgument, Ident, Lifetime, Pat, PathArguments, Type};

/// One parameter of a kernel.
pub struct Parameter {
    pub name: Ident,
    pub kind: Kind,
}

/// How a parameter crosses: a view or slice of `element`s as pointer and length, anything else as
/// it is.
pub enum Kind {
    View(Type),
    ViewMut(Type),
    Slice(Type),
    SliceMut(Type),
    /// `&T`: a pointer to one value, without a length.
    Ref(Type),
    RefMut(Type),
    Value(Type),
}

impl Kind {
    /// The type of the elements, or of the one value.
    pub fn ty(&self) -> &Type {
        match self {
            Kind::View(ty)
            | Kind::ViewMut(ty)
            | Kind::Slice(ty)
            | Kind::SliceMut(ty)
            | Kind::Ref(ty)
            | Kind::RefMut(ty)
            | Kind::Value(ty) => ty,
        }
    }

    /// The element type of a view or slice, and whether the kernel may write it.
    pub fn element(&self) -> Option<(&Type, bool)> {
        match self {
            Kind::View(element) | Kind::Slice(element) => Some((element, false)),
            Kind::ViewMut(element) | Kind::SliceMut(element) => Some((element, true)),
            Kind::Ref(_) | Kind::RefMut(_) | Kind::Value(_) => None,
        }
    }
}

impl Parameter {
    /// Whether it is a view.
    pub fn is_view(&self) -> bool {
        matches!(self.kind, Kind::View(_) | Kind::ViewMut(_))
    }

    pub fn classify(argument: &FnArg) -> syn::Result<Self> {
        let typed = match argument {
            FnArg::Typed(typed) => typed,
            FnArg::Receiver(receiver) => {
                return Err(syn::Error::new(
                    receiver.span(),
                    "a kernel cannot be a method: take the value as a parameter instead of `self`",
                ));
            }
        };
        let name = match &*typed.pat {
            Pat::Ident(pattern) if pattern.by_ref.is_none() && pattern.subpat.is_none() => {
                pattern.ident.clone()
            }
            other => {
                return Err(syn::Error::new(
                    other.span(),
                    "a kernel's parameter is one name: take the value apart inside the kernel",
                ));
            }
        };
        Ok(Self {
            name,
            kind: classify_type(&typed.ty)?,
        })
    }
}

fn classify_type(ty: &Type) -> syn::Result<Kind> {
    match ty {
        // A type that came through a macro_rules fragment is wrapped.
        Type::Group(group) => classify_type(&group.elem),
        Type::Paren(paren) => classify_type(&paren.elem),
        Type::Reference(reference) => {
            let mut target = &*reference.elem;
            while let Type::Group(group) = target {
                target = &group.elem;
            }
            let Type::Slice(slice) = target else {
                let target = target.clone();
                return Ok(if reference.mutability.is_some() {
                    Kind::RefMut(target)
                } else {
                    Kind::Ref(target)
                });
            };
            let element = (*slice.elem).clone();
            Ok(if reference.mutability.is_some() {
                Kind::SliceMut(element)
            } else {
                Kind::Slice(element)
            })
        }
        Type::ImplTrait(_) => Err(syn::Error::new(
            ty.span(),
            "a kernel's parameter needs a named type: write a type parameter and list its types in #[kernel(T = [...])]",
        )),
        Type::Path(path) => Ok(view_of(path).unwrap_or_else(|| Kind::Value(ty.clone()))),
        _ => Ok(Kind::Value(ty.clone())),
    }
}

/// `View<X>` and `ViewMut<X>` however qualified, with or without a lifetime.
fn view_of(path: &syn::TypePath) -> Option<Kind> {
    let last = path.path.segments.last()?;
    let writable = match last.ident.to_string().as_str() {
        "View" => false,
        "ViewMut" => true,
        _ => return None,
    };
    let PathArguments::AngleBracketed(arguments) = &last.arguments else {
        return None;
    };
    let mut elements = arguments.args.iter().filter_map(|argument| match argument {
        GenericArgument::Type(element) => Some(element.clone()),
        _ => None,
    });
    let element = elements.next()?;
    if elements.next().is_some() {
        return None;
    }
    Some(if writable {
        Kind::ViewMut(element)
    } else {
        Kind::View(element)
    })
}

/// The type with one lifetime in place of the kernel's own: where they are not declared.
pub fn with_lifetime(ty: &Type, name: &str) -> Type {
    struct Rename<'n>(&'n str);
    impl VisitMut for Rename<'_> {
        fn visit_lifetime_mut(&mut self, lifetime: &mut Lifetime) {
            if lifetime.ident != "static" {
                *lifetime = Lifetime::new(self.0, lifetime.span());
            }
        }
    }
    let mut ty = ty.clone();
    Rename(name).visit_type_mut(&mut ty);
    ty
}

//! Kernel parameters and how they are passed to the device.

use syn::spanned::Spanned;
use syn::visit_mut::VisitMut;
use syn::{FnArg, GenericArgument, Ident, Lifetime, Pat, PathArguments, Type};

/// A parameter of a kernel.
pub struct Parameter {
    pub name: Ident,
    pub kind: Kind,
}

/// Kind of a parameter: views and slices are passed as pointer and length, all others as they are.
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
    /// Returns the type of the elements or of the value.
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

    /// Returns the element type of a view or slice, and `true` if the kernel may write it.
    pub fn element(&self) -> Option<(&Type, bool)> {
        match self {
            Kind::View(element) | Kind::Slice(element) => Some((element, false)),
            Kind::ViewMut(element) | Kind::SliceMut(element) => Some((element, true)),
            Kind::Ref(_) | Kind::RefMut(_) | Kind::Value(_) => None,
        }
    }
}

impl Parameter {
    /// Returns `true` for a view.
    pub fn is_view(&self) -> bool {
        matches!(self.kind, Kind::View(_) | Kind::ViewMut(_))
    }

    pub fn classify(argument: &FnArg) -> syn::Result<Self> {
        let typed = match argument {
            FnArg::Typed(typed) => typed,
            FnArg::Receiver(receiver) => {
                return Err(syn::Error::new(
                    receiver.span(),
                    "a kernel cannot be a method; pass the value as a parameter instead of `self`",
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
                    "a kernel parameter must be a plain name; destructure the value inside the kernel",
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
        // Types from macro_rules fragments are wrapped in a group.
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
            "a kernel parameter needs a named type; use a type parameter and list its types in #[kernel(T = [...])]",
        )),
        Type::Path(path) => Ok(parse_view(path).unwrap_or_else(|| Kind::Value(ty.clone()))),
        _ => Ok(Kind::Value(ty.clone())),
    }
}

/// Recognises `View<X>` and `ViewMut<X>`, with any path and with or without a lifetime.
fn parse_view(path: &syn::TypePath) -> Option<Kind> {
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

/// Returns the type with all lifetimes replaced by `name`, for places where the kernel's lifetimes
/// are not declared.
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

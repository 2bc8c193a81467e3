//! The two- and three-component vectors that indices come in.

use core::ops::{Add, Mul, Sub};

/// Two components: a two-dimensional index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(C)]
pub struct Vec2<T> {
    /// The component that varies fastest.
    pub x: T,
    /// The second component.
    pub y: T,
}

/// Three components: a three-dimensional index or extent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(C)]
pub struct Vec3<T> {
    /// The component that varies fastest.
    pub x: T,
    /// The second component.
    pub y: T,
    /// The component that varies slowest.
    pub z: T,
}

impl<T> Vec2<T> {
    /// The vector `(x, y)`.
    #[inline(always)]
    pub const fn new(x: T, y: T) -> Self {
        Self { x, y }
    }

    /// The components as an array.
    #[inline(always)]
    pub fn into_array(self) -> [T; 2] {
        [self.x, self.y]
    }

    /// The components as a tuple.
    #[inline(always)]
    pub fn into_tuple(self) -> (T, T) {
        (self.x, self.y)
    }
}

impl<T> Vec3<T> {
    /// The vector `(x, y, z)`.
    #[inline(always)]
    pub const fn new(x: T, y: T, z: T) -> Self {
        Self { x, y, z }
    }

    /// The components as an array.
    #[inline(always)]
    pub fn into_array(self) -> [T; 3] {
        [self.x, self.y, self.z]
    }

    /// The components as a tuple.
    #[inline(always)]
    pub fn into_tuple(self) -> (T, T, T) {
        (self.x, self.y, self.z)
    }

    /// The first two components.
    #[inline(always)]
    pub fn xy(self) -> Vec2<T> {
        Vec2::new(self.x, self.y)
    }
}

impl<T: Default> Vec2<T> {
    /// The zero vector.
    #[inline(always)]
    pub fn zero() -> Self {
        Self::new(T::default(), T::default())
    }
}

impl<T: Default> Vec3<T> {
    /// The zero vector.
    #[inline(always)]
    pub fn zero() -> Self {
        Self::new(T::default(), T::default(), T::default())
    }
}

impl<T: Mul<Output = T>> Vec2<T> {
    /// The product of the components.
    #[inline(always)]
    pub fn product(self) -> T {
        self.x * self.y
    }
}

impl<T: Mul<Output = T>> Vec3<T> {
    /// The product of the components: how many elements an extent has.
    #[inline(always)]
    pub fn product(self) -> T {
        self.x * self.y * self.z
    }
}

macro_rules! componentwise {
    ($operator:ident $method:ident) => {
        impl<T: $operator<Output = T>> $operator for Vec2<T> {
            type Output = Self;

            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Self::new(self.x.$method(other.x), self.y.$method(other.y))
            }
        }

        impl<T: $operator<Output = T>> $operator for Vec3<T> {
            type Output = Self;

            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Self::new(
                    self.x.$method(other.x),
                    self.y.$method(other.y),
                    self.z.$method(other.z),
                )
            }
        }
    };
}

componentwise!(Add add);
componentwise!(Sub sub);
componentwise!(Mul mul);

impl<T> From<(T, T)> for Vec2<T> {
    #[inline(always)]
    fn from((x, y): (T, T)) -> Self {
        Self::new(x, y)
    }
}

impl<T> From<[T; 2]> for Vec2<T> {
    #[inline(always)]
    fn from([x, y]: [T; 2]) -> Self {
        Self::new(x, y)
    }
}

impl<T> From<(T, T, T)> for Vec3<T> {
    #[inline(always)]
    fn from((x, y, z): (T, T, T)) -> Self {
        Self::new(x, y, z)
    }
}

impl<T> From<[T; 3]> for Vec3<T> {
    #[inline(always)]
    fn from([x, y, z]: [T; 3]) -> Self {
        Self::new(x, y, z)
    }
}

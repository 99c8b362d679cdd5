//! Conversions between values of JavaScript and of Rust, and native functions with typed parameters.

use crate::array::Array;
use crate::exception::{ErrorKind, Fallible};
use crate::function::{Arguments, Function};
use crate::local::{Kind, Local};
use crate::scope::Scope;
use crate::string::JsString;
use crate::value::Value;

/// A type of Rust that can be made from a value of JavaScript.
pub trait FromJs<'s>: Sized {
    /// Converts a value.
    ///
    /// # Errors
    ///
    /// A TypeError if the value is of another type; the exception of a getter or proxy trap that the conversion runs.
    fn from_js(scope: Scope<'s>, value: Local<'s, Value>) -> Fallible<Self>;
}

/// A type of Rust that can be made into a value of JavaScript.
pub trait IntoJs<'s> {
    /// Converts the value.
    ///
    /// # Errors
    ///
    /// When there is no memory for it; for a [`Fallible`], its error.
    fn into_js(self, scope: Scope<'s>) -> Fallible<Local<'s, Value>>;
}

/// Throws a TypeError: the value is not of the wanted type. Modules of Node check their arguments in JavaScript, so
/// only a mistake in such a module leads here.
#[cold]
fn mismatch(scope: Scope<'_>, value: Local<'_, Value>, wanted: &str) -> crate::exception::Thrown {
    scope.throw_error(ErrorKind::TypeError, &format!("cannot convert {} to {wanted}", value.type_name()))
}

impl<'s, T: Kind> FromJs<'s> for Local<'s, T> {
    fn from_js(scope: Scope<'s>, value: Local<'s, Value>) -> Fallible<Self> {
        value.cast().ok_or_else(|| {
            let name = std::any::type_name::<T>();
            mismatch(scope, value, name.rsplit("::").next().unwrap_or(name))
        })
    }
}

impl FromJs<'_> for bool {
    fn from_js(scope: Scope<'_>, value: Local<'_, Value>) -> Fallible<Self> {
        value.to_bool().ok_or_else(|| mismatch(scope, value, "a boolean"))
    }
}

macro_rules! number_from_js {
    ($($number:ty),*) => { $(
        impl FromJs<'_> for $number {
            /// Converts a number to the nearest value of this Rust type.
            fn from_js(scope: Scope<'_>, value: Local<'_, Value>) -> Fallible<Self> {
                let number = value.to_f64().ok_or_else(|| mismatch(scope, value, "a number"))?;
                Ok(number as $number)
            }
        }

        impl<'s> IntoJs<'s> for $number {
            fn into_js(self, scope: Scope<'s>) -> Fallible<Local<'s, Value>> {
                Ok(scope.number(self as f64))
            }
        }
    )* };
}
number_from_js!(f64, i32, u32, i64, u64, usize, i16, u16, u8, f32);

impl FromJs<'_> for String {
    /// Copies a string. A lone surrogate becomes U+FFFD.
    fn from_js(scope: Scope<'_>, value: Local<'_, Value>) -> Fallible<Self> {
        match value.cast::<JsString>() {
            Some(string) => string.to_text(scope),
            None => Err(mismatch(scope, value, "a string")),
        }
    }
}

impl<'s, T: FromJs<'s>> FromJs<'s> for Option<T> {
    /// `undefined` and `null` are `None`.
    fn from_js(scope: Scope<'s>, value: Local<'s, Value>) -> Fallible<Self> {
        if value.is_nullish() { Ok(None) } else { T::from_js(scope, value).map(Some) }
    }
}

impl<'s, T: FromJs<'s>> FromJs<'s> for Vec<T> {
    /// Converts the elements of an array.
    fn from_js(scope: Scope<'s>, value: Local<'s, Value>) -> Fallible<Self> {
        let Some(array) = value.cast::<Array>() else { return Err(mismatch(scope, value, "an array")) };
        (0..array.len(scope) as u32).map(|index| T::from_js(scope, array.get(scope, index)?)).collect()
    }
}

impl<'s> IntoJs<'s> for () {
    fn into_js(self, scope: Scope<'s>) -> Fallible<Local<'s, Value>> {
        Ok(scope.undefined())
    }
}

impl<'s> IntoJs<'s> for bool {
    fn into_js(self, scope: Scope<'s>) -> Fallible<Local<'s, Value>> {
        Ok(scope.boolean(self))
    }
}

impl<'s> IntoJs<'s> for &str {
    fn into_js(self, scope: Scope<'s>) -> Fallible<Local<'s, Value>> {
        Ok(JsString::new(scope, self)?.as_value())
    }
}

impl<'s> IntoJs<'s> for String {
    fn into_js(self, scope: Scope<'s>) -> Fallible<Local<'s, Value>> {
        self.as_str().into_js(scope)
    }
}

impl<'s> IntoJs<'s> for &String {
    fn into_js(self, scope: Scope<'s>) -> Fallible<Local<'s, Value>> {
        self.as_str().into_js(scope)
    }
}

impl<'s> IntoJs<'s> for std::borrow::Cow<'_, str> {
    fn into_js(self, scope: Scope<'s>) -> Fallible<Local<'s, Value>> {
        (&*self).into_js(scope)
    }
}

impl<'s, T> IntoJs<'s> for Local<'_, T> {
    fn into_js(self, scope: Scope<'s>) -> Fallible<Local<'s, Value>> {
        Ok(scope.value(self.raw()))
    }
}

impl<'s, T: Kind> IntoJs<'s> for &crate::global::Global<T> {
    fn into_js(self, scope: Scope<'s>) -> Fallible<Local<'s, Value>> {
        Ok(self.get(scope).as_value())
    }
}

impl<'s, T: IntoJs<'s>> IntoJs<'s> for Option<T> {
    /// `None` is `undefined`.
    fn into_js(self, scope: Scope<'s>) -> Fallible<Local<'s, Value>> {
        match self {
            Some(value) => value.into_js(scope),
            None => Ok(scope.undefined()),
        }
    }
}

impl<'s, T: IntoJs<'s>> IntoJs<'s> for Fallible<T> {
    fn into_js(self, scope: Scope<'s>) -> Fallible<Local<'s, Value>> {
        self?.into_js(scope)
    }
}

impl<'s, T: IntoJs<'s>> IntoJs<'s> for Vec<T> {
    fn into_js(self, scope: Scope<'s>) -> Fallible<Local<'s, Value>> {
        let values: Vec<_> = self.into_iter().map(|value| value.into_js(scope)).collect::<Fallible<_>>()?;
        Ok(Array::new(scope, &values)?.as_value())
    }
}

impl<'s, T: Copy + IntoJs<'s>> IntoJs<'s> for &[T] {
    fn into_js(self, scope: Scope<'s>) -> Fallible<Local<'s, Value>> {
        let values: Vec<_> = self.iter().map(|value| value.into_js(scope)).collect::<Fallible<_>>()?;
        Ok(Array::new(scope, &values)?.as_value())
    }
}

impl<'s, T: Copy + IntoJs<'s>, const N: usize> IntoJs<'s> for [T; N] {
    fn into_js(self, scope: Scope<'s>) -> Fallible<Local<'s, Value>> {
        self.as_slice().into_js(scope)
    }
}

/// A parameter of a native function.
pub trait Parameter<'s>: Sized {
    /// Takes the parameter from the arguments; `next` is the index of the next argument.
    ///
    /// # Errors
    ///
    /// When the argument is of another type.
    fn take(scope: Scope<'s>, arguments: Arguments<'s>, next: &mut usize) -> Fallible<Self>;
}

impl<'s, T: FromJs<'s>> Parameter<'s> for T {
    #[inline]
    fn take(scope: Scope<'s>, arguments: Arguments<'s>, next: &mut usize) -> Fallible<Self> {
        let value = arguments.get(scope, *next);
        *next += 1;
        T::from_js(scope, value)
    }
}

/// The `this` of a call, as a parameter.
#[derive(Clone, Copy, Debug)]
pub struct This<'s>(pub Local<'s, Value>);

impl<'s> Parameter<'s> for This<'s> {
    fn take(_: Scope<'s>, arguments: Arguments<'s>, _: &mut usize) -> Fallible<Self> {
        Ok(This(arguments.this()))
    }
}

/// The remaining arguments, as the last parameter.
#[derive(Clone, Debug)]
pub struct Rest<'s>(pub Vec<Local<'s, Value>>);

impl<'s> Parameter<'s> for Rest<'s> {
    fn take(_: Scope<'s>, arguments: Arguments<'s>, next: &mut usize) -> Fallible<Self> {
        let rest = (*next..arguments.len()).filter_map(|index| arguments.given(index)).collect();
        *next = arguments.len();
        Ok(Rest(rest))
    }
}

/// A function of Rust whose parameters are converted from arguments: `fn(Scope<'s>, A, B, ...) -> R`.
pub trait Callee<'s, P> {
    /// Converts the arguments, calls the function, and converts its result.
    ///
    /// # Errors
    ///
    /// The errors of the conversions and of the function.
    fn invoke(&self, scope: Scope<'s>, arguments: Arguments<'s>) -> Fallible<Local<'s, Value>>;
}

macro_rules! callee {
    ($($parameter:ident)*) => {
        impl<'s, F, R, $($parameter),*> Callee<'s, ($($parameter,)*)> for F
        where
            F: Fn(Scope<'s> $(, $parameter)*) -> R,
            R: IntoJs<'s>,
            $($parameter: Parameter<'s>),*
        {
            #[inline]
            #[allow(unused_mut, unused_variables, non_snake_case)]
            fn invoke(&self, scope: Scope<'s>, arguments: Arguments<'s>) -> Fallible<Local<'s, Value>> {
                let mut next = 0;
                $( let $parameter = $parameter::take(scope, arguments, &mut next)?; )*
                self(scope $(, $parameter)*).into_js(scope)
            }
        }
    };
}
callee!();
callee!(A);
callee!(A B);
callee!(A B C);
callee!(A B C D);
callee!(A B C D E);
callee!(A B C D E G);
callee!(A B C D E G H);
callee!(A B C D E G H I);
callee!(A B C D E G H I J);
callee!(A B C D E G H I J K);

/// Calls a function with converted arguments. Used by [`native_fn!`].
#[doc(hidden)]
#[inline]
pub fn invoke<'s, P>(
    callee: impl Callee<'s, P>,
    scope: Scope<'s>,
    arguments: Arguments<'s>,
) -> Fallible<Local<'s, Value>> {
    callee.invoke(scope, arguments)
}

/// Makes a [`Native`](crate::Native) function from a function or closure with typed parameters: `|scope, a: u32, b:
/// Local<'_, Object>| ...`.
///
/// The parameters implement [`FromJs`], or are [`This`] or [`Rest`]; the result implements [`IntoJs`].
///
/// ```
/// use phasor_engine::{Function, Options, Origin, Runtime, native_fn};
///
/// let mut runtime = Runtime::new(Options::default());
/// let realm = runtime.new_realm();
/// runtime.enter(&realm, |scope| {
///     let add = Function::new(scope, "add", 2, native_fn!(|_, a: f64, b: f64| a + b)).unwrap();
///     scope.global().set(scope, "add", add).unwrap();
///     assert_eq!(scope.eval("add(1, 2)", Origin::new("add.js")).unwrap().to_f64(), Some(3.0));
/// });
/// ```
#[macro_export]
macro_rules! native_fn {
    ($function:expr) => {
        move |scope, arguments| $crate::invoke($function, scope, arguments)
    };
}

/// Defines native functions on an object: `define_natives!(scope, object, "add" => add, "sub" => |_, a: f64, b: f64| a - b)`.
///
/// The functions have the form that [`native_fn!`](crate::native_fn) takes. The macro returns early with `?` if there
/// is no memory.
#[macro_export]
macro_rules! define_natives {
    ($scope:expr, $object:expr, $($name:expr => $function:expr),* $(,)?) => {
        $( $object.define_function($scope, $name, 0, $crate::native_fn!($function))?; )*
    };
}

impl<'s> Local<'s, Function> {
    /// Calls the function with converted arguments: `f.call_with(scope, this, (1, "two"))`.
    ///
    /// # Errors
    ///
    /// The exception that the function throws.
    pub fn call_with<'t, A: IntoArguments<'t>>(
        self,
        scope: Scope<'t>,
        this: impl IntoJs<'t>,
        arguments: A,
    ) -> Fallible<Local<'t, Value>> {
        let this = this.into_js(scope)?;
        arguments.with(scope, |arguments| self.call(scope, this, arguments))
    }
}

/// A tuple of values that are converted to arguments.
pub trait IntoArguments<'t> {
    /// Converts the values and calls `body` with them.
    ///
    /// # Errors
    ///
    /// The errors of the conversions, and the error of the body.
    fn with<R>(self, scope: Scope<'t>, body: impl FnOnce(&[Local<'t, Value>]) -> Fallible<R>) -> Fallible<R>;
}

macro_rules! into_arguments {
    ($($argument:ident)*) => {
        impl<'t, $($argument: IntoJs<'t>),*> IntoArguments<'t> for ($($argument,)*) {
            #[allow(unused_variables, non_snake_case)]
            fn with<R>(self, scope: Scope<'t>, body: impl FnOnce(&[Local<'t, Value>]) -> Fallible<R>) -> Fallible<R> {
                let ($($argument,)*) = self;
                body(&[$($argument.into_js(scope)?),*])
            }
        }
    };
}
into_arguments!();
into_arguments!(A);
into_arguments!(A B);
into_arguments!(A B C);
into_arguments!(A B C D);
into_arguments!(A B C D E);
into_arguments!(A B C D E F);

//! The compiled part of the Python package: the bindings over the standard schemes.

use multihop::schemes::Schemes;

multihop_python::engine!(Schemes::standard);

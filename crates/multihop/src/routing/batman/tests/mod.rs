//! Tests of B.A.T.M.A.N. IV, driven by hand. Sections are those of open-mesh.org's page
//! "B.A.T.M.A.N. IV (TQ) Meshing", or of the draft of 2008 where it is named.

mod harness;
mod links;
mod messages;
mod network;
mod properties;
mod ranking;
mod relaying;
mod windows;

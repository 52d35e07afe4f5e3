//! CaDiCaL behind one small interface: assumptions, theory propagation, a recorded resolution proof.

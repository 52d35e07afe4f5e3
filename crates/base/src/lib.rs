//! Foundations of Bolide: exact rationals, budgets, index types, statistics.

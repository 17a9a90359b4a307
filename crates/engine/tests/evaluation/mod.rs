//! What a log says about policies and predictions.

mod adversaries;
mod brute_force;
mod calibration;
mod coverage;
mod difference;
mod enumeration;
mod refusals;
mod replay;
mod simulation;
mod stored;
mod unbiased;

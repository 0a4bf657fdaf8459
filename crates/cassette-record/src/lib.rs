//! Record what a coding-agent process and its host say to each other into a portable cassette.
#![forbid(unsafe_code)]

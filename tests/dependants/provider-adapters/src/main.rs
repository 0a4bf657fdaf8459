//! A host with the providers that are known and one of its own.

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let mut registry = provider_adapters::builtin();
    let known = registry.providers().count();
    registry.register(provider_adapters::parse_toml(
        "id = \"own\"\ntarget = \"local:own\"\nframing = \"lines\"\ndialect = \"json-rpc\"\n",
    )?)?;
    assert_eq!(registry.providers().count(), known + 1);
    println!("provider-adapters: {known} providers known, one added");
    Ok(())
}

//! The JSON Schema: complete, described, and consistent with what is accepted.

use std::collections::BTreeSet;

use serde_json::{Value as Json, json};

use super::*;

/// Calls `visit` with every object of `schema` that has properties, and its path.
fn walk(schema: &Json, path: &str, visit: &mut impl FnMut(&str, &Json)) {
    match schema {
        Json::Object(map) => {
            if map.contains_key("properties") {
                visit(path, schema);
            }
            map.iter().for_each(|(key, inner)| walk(inner, &format!("{path}/{key}"), visit));
        }
        Json::Array(items) => items.iter().for_each(|inner| walk(inner, path, visit)),
        _ => {}
    }
}

fn resolve<'s>(root: &'s Json, schema: &'s Json) -> &'s Json {
    match schema.get("$ref").and_then(Json::as_str) {
        Some(reference) => resolve(root, root.pointer(&reference[1..]).unwrap()),
        // A table that its scheme chooses may be that name alone, too.
        None if schema["anyOf"][1]["type"] == "string" => resolve(root, &schema["anyOf"][0]),
        None => schema,
    }
}

/// The tables that `schema` allows: itself, or one for each of its kinds.
fn variants<'s>(root: &'s Json, schema: &'s Json) -> Vec<&'s Json> {
    let schema = resolve(root, schema);
    match schema.get("oneOf").and_then(Json::as_array) {
        Some(all) => all.iter().collect(),
        None => vec![schema],
    }
}

/// The keys of `variant`, including those of a table that it refers to.
fn keys(root: &Json, variant: &Json) -> BTreeSet<String> {
    let own = variant["properties"].as_object().into_iter().flat_map(|map| map.keys().cloned());
    let referred = match variant.get("$ref") {
        Some(_) => keys(root, resolve(root, variant)),
        None => BTreeSet::new(),
    };
    own.chain(referred).collect()
}

/// The names that `key` chooses between.
fn choices(root: &Json, schema: &Json, key: &str) -> Vec<String> {
    variants(root, schema)
        .iter()
        .map(|variant| variant["properties"][key]["const"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn every_key_is_described() {
    let mut tables = 0;
    walk(&schema(&Schemes::standard()), "", &mut |path, table| {
        tables += 1;
        for (key, property) in table["properties"].as_object().unwrap() {
            // The description of a kind is on its table.
            let described = if property.get("const").is_some() { table } else { property };
            let description = described["description"].as_str().unwrap_or_default();
            assert!(!description.is_empty(), "{path}: {key}");
        }
    });
    assert!(tables >= 15, "{tables}");
}

#[test]
fn no_table_allows_unlisted_keys() {
    let root = schema(&Schemes::standard());
    for table in ["radio", "mac", "link", "transport"] {
        let schema = resolve(&root, &root["properties"][table]);
        assert_eq!(schema["additionalProperties"], json!(false), "{table}");
    }
    assert_eq!(root["additionalProperties"], json!(false));
}

#[test]
fn the_kinds_are_those_that_are_accepted() {
    let schemes = Schemes::standard();
    let root = schema(&schemes);
    let of = |table: &str, key| choices(&root, &root["properties"][table], key);
    assert_eq!(of("topology", "kind"), crate::scenario::topology::KINDS);
    assert_eq!(of("routing", "scheme"), schemes.routing_names());
    assert_eq!(of("mobility", "kind"), crate::scenario::mobility::KINDS);
    let flows = &root["properties"]["flows"]["items"];
    assert_eq!(choices(&root, flows, "kind"), crate::scenario::flows::KINDS);
    for kind in variants(&root, flows) {
        assert_eq!(kind["additionalProperties"], json!(false), "{}", kind["properties"]["kind"]);
    }
    let events = &root["properties"]["events"]["items"];
    assert_eq!(choices(&root, events, "kind"), crate::scenario::events::KINDS);
}

/// The schema lists every key of a resolved scenario.
#[test]
fn the_schema_lists_the_keys_of_a_resolved_scenario() {
    let root = schema(&Schemes::standard());
    for (name, text) in examples() {
        let resolved = serde_json::to_value(scenario(&text)).unwrap();
        let mut listed = keys(&root, &root);
        // Left out where every node has the one station that it has anyway, no wire is there, and
        // nobody decides.
        for key in ["interfaces", "agents", "wires"] {
            if !resolved.as_object().unwrap().contains_key(key) {
                listed.remove(key);
            }
        }
        assert_eq!(listed, resolved.as_object().unwrap().keys().cloned().collect());
        for (table, values) in resolved.as_object().unwrap() {
            let property = &root["properties"][table];
            let (schema, values) = match values {
                Json::Array(items) => match items.first() {
                    Some(item) => (&property["items"], item.as_object().unwrap()),
                    None => continue,
                },
                Json::Object(map) => (property, map),
                _ => continue,
            };
            let chosen = ["kind", "scheme"].into_iter().find_map(|key| values.get(key));
            let allowed = variants(&root, schema).into_iter().find(|variant| {
                let properties = &variant["properties"];
                let choice = [&properties["kind"]["const"], &properties["scheme"]["const"]];
                choice.iter().all(|choice| choice.is_null() || Some(*choice) == chosen)
            });
            let allowed = keys(&root, allowed.unwrap());
            let unlisted: Vec<&String> =
                values.keys().filter(|key| !allowed.contains(*key)).collect();
            assert!(unlisted.is_empty(), "{name}: {table}: {unlisted:?}");
        }
    }
}

#[test]
fn the_schema_has_the_defaults_that_are_used() {
    let root = schema(&Schemes::standard());
    let scenario = scenario(&format!("{CHAIN}{FTP}"));
    let resolved = serde_json::to_value(scenario).unwrap();
    for key in ["title", "seed", "profile", "mobility", "radio", "mac", "link", "transport"] {
        assert_eq!(root["properties"][key]["default"], resolved[key], "{key}");
    }
}

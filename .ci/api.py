"""Prints the public interface of a crate, a line for each item, from what rustdoc writes as JSON."""

import json
import sys

doc = json.load(open(sys.argv[1]))
index = doc["index"]
lines = set()


def item(number):
    return index.get(str(number))


def arguments(args):
    if not args:
        return ""
    if "parenthesized" in args:
        of = args["parenthesized"]
        out = f" -> {ty(of['output'])}" if of["output"] else ""
        return f"({', '.join(map(ty, of['inputs']))}){out}"
    if "angle_bracketed" not in args:
        return ""
    of, parts = args["angle_bracketed"], []
    for arg in of["args"]:
        kind, value = next(iter(arg.items())) if isinstance(arg, dict) else ("infer", None)
        parts.append(value if kind == "lifetime" else ty(value) if kind == "type"
                     else value["expr"] if kind == "const" else "_")
    for one in of.get("constraints", []):
        kind, value = next(iter(one["binding"].items()))
        if kind == "equality":
            parts.append(f"{one['name']} = {term(value)}")
        else:
            parts.append(f"{one['name']}: {bounds(value)}")
    return f"<{', '.join(parts)}>" if parts else ""


def term(value):
    kind, of = next(iter(value.items()))
    return ty(of) if kind == "type" else of["expr"]


def name_of(path):
    return path["path"].split("::")[-1] + arguments(path.get("args"))


def bounds(of):
    parts = []
    for bound in of:
        kind, value = next(iter(bound.items()))
        if kind == "trait_bound":
            mark = {"maybe": "?", "maybe_const": "", "none": ""}.get(value.get("modifier"), "")
            parts.append(mark + name_of(value["trait"]))
        elif kind == "outlives":
            parts.append(value)
        else:
            parts.append(f"use<{', '.join(next(iter(one.values())) for one in value)}>")
    return " + ".join(parts)


def ty(of):
    if of is None:
        return "()"
    if isinstance(of, str):
        return of
    kind, value = next(iter(of.items()))
    if kind == "resolved_path":
        return name_of(value)
    if kind in ("generic", "primitive"):
        return value
    if kind == "tuple":
        return f"({', '.join(map(ty, value))}{',' if len(value) == 1 else ''})"
    if kind == "slice":
        return f"[{ty(value)}]"
    if kind == "array":
        return f"[{ty(value['type'])}; {value['len']}]"
    if kind == "borrowed_ref":
        life = f"{value['lifetime']} " if value["lifetime"] else ""
        return f"&{life}{'mut ' if value['is_mutable'] else ''}{ty(value['type'])}"
    if kind == "raw_pointer":
        return f"*{'mut' if value['is_mutable'] else 'const'} {ty(value['type'])}"
    if kind == "impl_trait":
        return f"impl {bounds(value)}"
    if kind == "dyn_trait":
        parts = [name_of(one["trait"]) for one in value["traits"]]
        return "dyn " + " + ".join(parts + ([value["lifetime"]] if value["lifetime"] else []))
    if kind == "qualified_path":
        own = ty(value["self_type"])
        if value.get("trait") and value["trait"]["path"]:
            own = f"<{own} as {name_of(value['trait'])}>"
        return f"{own}::{value['name']}{arguments(value.get('args'))}"
    if kind == "function_pointer":
        return "fn" + signature(value["sig"])
    return kind


def signature(sig):
    out = f" -> {ty(sig['output'])}" if sig["output"] else ""
    return f"({', '.join(f'{name}: {ty(of)}' for name, of in sig['inputs'])}){out}"


def generics(of):
    parts = []
    for one in of["params"]:
        kind, value = next(iter(one["kind"].items()))
        if kind == "lifetime":
            parts.append(one["name"])
        elif kind == "const":
            parts.append(f"const {one['name']}: {ty(value['type'])}")
        elif not value.get("is_synthetic"):
            text = one["name"] + (f": {bounds(value['bounds'])}" if value["bounds"] else "")
            parts.append(text + (f" = {ty(value['default'])}" if value["default"] else ""))
    return f"<{', '.join(parts)}>" if parts else ""


def where(of):
    parts = []
    for one in of["where_predicates"]:
        kind, value = next(iter(one.items()))
        if kind == "bound_predicate":
            parts.append(f"{ty(value['type'])}: {bounds(value['bounds'])}")
        elif kind == "lifetime_predicate":
            parts.append(f"{value['lifetime']}: {' + '.join(value['outlives'])}")
        else:
            parts.append(f"{ty(value['lhs'])} == {term(value['rhs'])}")
    return f" where {', '.join(parts)}" if parts else ""


def function(path, of):
    header = of["header"]
    words = [word for word in ("const", "unsafe", "async") if header.get(f"is_{word}")]
    words = " ".join([*words, "fn"])
    return f"{words} {path}{generics(of['generics'])}{signature(of['sig'])}{where(of['generics'])}"


def member(path, number, provided=False):
    found = item(number)
    if found is None or found["visibility"] not in ("public", "default"):
        return
    kind, of = next(iter(found["inner"].items()))
    path = f"{path}::{found['name']}"
    if kind == "function":
        lines.add(function(path, of) + (" { .. }" if provided and of["has_body"] else ""))
    elif kind == "assoc_const":
        lines.add(f"const {path}: {ty(of['type'])}")
    elif kind == "assoc_type":
        text = f": {bounds(of['bounds'])}" if of["bounds"] else ""
        lines.add(f"type {path}{text}" + (f" = {ty(of['type'])}" if of["type"] else ""))
    elif kind == "struct_field" and found["visibility"] == "public":
        lines.add(f"field {path}: {ty(of)}")


def implementations(path, numbers):
    for number in numbers:
        found = item(number)
        if found is None:
            continue
        of = found["inner"]["impl"]
        if of["is_synthetic"] or of["blanket_impl"]:
            continue
        if of["trait"]:
            # What `derive(PartialEq)` says beside, for constants in patterns.
            if of["trait"]["path"].endswith("StructuralPartialEq"):
                continue
            no = "!" if of["is_negative"] else ""
            lines.add(f"impl{generics(of['generics'])} {no}{name_of(of['trait'])} for "
                      f"{ty(of['for'])}{where(of['generics'])}")
            continue
        for one in of["items"]:
            method = item(one)
            if method and method["visibility"] == "public":
                member(f"{path}{arguments_of(of['for'])}", one)


def arguments_of(of):
    return arguments(of["resolved_path"].get("args")) if "resolved_path" in of else ""


def walk(number, path, seen):
    found = item(number)
    if found is None or found["visibility"] not in ("public", "default"):
        return
    kind, of = next(iter(found["inner"].items()))
    name = found["name"]
    here = f"{path}::{name}" if path and name else path or name
    if kind == "module":
        for one in of["items"]:
            walk(one, here, seen | {number})
    elif kind == "use":
        target = item(of["id"]) if of["id"] is not None else None
        if of["is_glob"] and target is not None and of["id"] not in seen:
            inner = next(iter(target["inner"].values()))
            for one in inner.get("items", inner.get("variants", [])):
                walk(one, path, seen | {of["id"]})
        elif target is None or of["id"] in seen:
            lines.add(f"use {path}::{'*' if of['is_glob'] else of['name']} = {of['source']}")
        elif "module" in target["inner"]:
            for one in target["inner"]["module"]["items"]:
                walk(one, f"{path}::{of['name']}", seen | {of["id"]})
        else:
            walk(of["id"], path, seen | {number})
    elif kind == "function":
        lines.add(function(here, of))
    elif kind in ("struct", "union", "enum"):
        hazards = "non_exhaustive " if "non_exhaustive" in str(found["attrs"]) else ""
        lines.add(f"{hazards}{kind} {here}{generics(of['generics'])}{where(of['generics'])}")
        shape = of.get("kind")
        if isinstance(shape, dict):
            of_fields = next(iter(shape.values()))
            numbers = of_fields["fields"] if isinstance(of_fields, dict) else of_fields
            for one in numbers:
                if one is not None:
                    member(here, one)
        for one in of.get("variants", []):
            lines.add(f"variant {here}::{item(one)['name']}")
        implementations(here, of["impls"])
    elif kind == "trait":
        above = f": {bounds(of['bounds'])}" if of["bounds"] else ""
        unsafe = "unsafe " if of["is_unsafe"] else ""
        lines.add(f"{unsafe}trait {here}{generics(of['generics'])}{above}{where(of['generics'])}")
        for one in of["items"]:
            member(here, one, True)
        implementations(here, of["implementations"])
    elif kind == "type_alias":
        lines.add(f"type {here}{generics(of['generics'])} = {ty(of['type'])}")
    elif kind in ("constant", "static"):
        lines.add(f"{kind} {here}: {ty(of['type'])}")
    elif kind == "macro":
        lines.add(f"macro {here}!")


walk(doc["root"], "", frozenset())
print("\n".join(sorted(lines)))

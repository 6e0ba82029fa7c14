//! A C program that compiles only when every offset, size and length is the table's.

use std::fmt::Write as _;

use mqi_table::{Structure, Table};

pub(crate) fn program(table: &Table, headers: &[&str]) -> String {
    let mut out = String::new();
    for header in headers {
        let _ = writeln!(out, "#include \"{header}\"");
    }
    out.push_str(
        "\n#if defined(__cplusplus)\n#define SAME(what, value) static_assert((what) == (value), #what)\n\
         #else\n#define SAME(what, value) _Static_assert((what) == (value), #what)\n#endif\n\
         #define AT(structure, field, offset, length) \\\n  SAME(__builtin_offsetof(structure, field), offset); \\\n  \
         SAME(sizeof(((structure *)0)->field), length)\n",
    );
    for (condition, width) in [("#if defined(MQ_64_BIT)", 0), ("#elif defined(__i386__)", 1)] {
        let _ = writeln!(out, "\n{condition}");
        for structure in &table.structures {
            out.push_str(&asserts(structure, width));
        }
    }
    out.push_str("#endif\n\n");
    for structure in
        table.structures.iter().filter(|structure| structure.fields.iter().all(|field| !field.initial.is_empty()))
    {
        let name = structure.name;
        let _ = writeln!(out, "extern const {name} initial_{name};\nconst {name} initial_{name} = {{{name}_DEFAULT}};");
    }
    out.push_str(
        "extern const MQCD initial_client;\nconst MQCD initial_client = {MQCD_CLIENT_CONN_DEFAULT};\n\
         extern const MQCHARV every_property;\nconst MQCHARV every_property = {MQPROP_INQUIRE_ALL};\n",
    );
    out
}

fn asserts(structure: &Structure, width: usize) -> String {
    let mut out = String::new();
    let name = structure.name;
    for field in &structure.fields {
        let _ = writeln!(out, "AT({name}, {}, {}, {});", field.name, field.offset[width], field.size[width]);
    }
    let _ = writeln!(out, "SAME(sizeof({name}), {});", structure.length(width));
    out
}

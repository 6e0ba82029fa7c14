//! The C headers: types, constants, structures with initial values, prototypes. Valid C89 and C++.
//!
//! Every header can be included alone and in any order. `cmqc.h` names every structure; the header that owns one defines it.

use std::fmt::Write as _;

use crate::table::{Constant, Field, Function, Kind, Structure, Table, bytes};

pub(crate) const HEADERS: [&str; 7] = ["cmqc.h", "cmqxc.h", "cmqcfc.h", "cmqbc.h", "cmqpsc.h", "cmqec.h", "cmqzc.h"];

pub(crate) const NOTICE: &str = "/* Generated; do not edit. */\n";

/// Constants whose value depends on the byte order: their value where the high byte comes first.
const BIG_ENDIAN: [(&str, i32); 3] =
    [("MQENC_NATIVE", 273), ("MQDCC_SOURCE_ENC_NATIVE", 16), ("MQDCC_TARGET_ENC_NATIVE", 256)];

const BYTE_ARRAYS: [usize; 8] = [4, 8, 16, 24, 32, 40, 48, 128];
const CHARACTER_ARRAYS: [usize; 12] = [4, 8, 12, 16, 20, 28, 32, 48, 64, 128, 256, 264];

pub(crate) fn header(table: &Table, name: &str) -> String {
    let guard = format!("MQ{}_INCLUDED", name.trim_start_matches("cmq").trim_end_matches(".h").to_uppercase());
    let mut out = format!("{NOTICE}#ifndef {guard}\n#define {guard}\n\n");
    if name == "cmqc.h" {
        out.push_str(&base_types(table));
    } else {
        out.push_str("#include \"cmqc.h\"\n");
        if name == "cmqbc.h" {
            out.push_str("#include \"cmqcfc.h\"\n");
        }
        out.push('\n');
    }
    out.push_str("#if defined(__cplusplus)\nextern \"C\" {\n#endif\n\n");
    for constant in table.constants.iter().filter(|constant| constant.header == name) {
        out.push_str(&define(table, constant));
    }
    if name == "cmqec.h" {
        out.push_str(&call_types(table));
    }
    for structure in in_order(table, name) {
        out.push_str(&definition(structure));
        out.push_str(&initial_values(structure));
    }
    if name == "cmqc.h" {
        out.push_str(CALLBACK);
    }
    for function in table.functions.iter().filter(|function| function.header == name) {
        let _ = write!(out, "\nvoid MQENTRY {}({});\n", function.name, parameters(function));
    }
    out.push_str("\n#if defined(__cplusplus)\n}\n#endif\n\n#endif\n");
    out
}

const CALLBACK: &str = "
typedef void MQENTRY MQCB_FUNCTION(MQHCONN hConn, PMQVOID pMsgDesc, PMQVOID pGetMsgOpts, PMQVOID pBuffer, PMQCBC pContext);
typedef MQCB_FUNCTION MQPOINTER PMQCB_FUNCTION;

#define MQPROP_INQUIRE_ALL (MQPTR)(char MQPOINTER)\"%\",0,0,1,MQCCSI_APPL
#define MQPROP_INQUIRE_ALL_USR (MQPTR)(char MQPOINTER)\"usr.%\",0,0,5,MQCCSI_APPL
";

fn base_types(table: &Table) -> String {
    let mut out = String::from(
        "#ifndef MQENTRY\n#define MQENTRY\n#endif\n#ifndef MQPOINTER\n#define MQPOINTER *\n#endif\n\
         #if defined(__LP64__) || defined(_LP64) || defined(_WIN64)\n#define MQ_64_BIT\n#endif\n\n\
         #if defined(MQ_64_BIT) && !defined(_WIN64)\ntypedef int MQLONG;\ntypedef unsigned int MQULONG;\n\
         typedef long MQINT64;\ntypedef unsigned long MQUINT64;\n#else\ntypedef long MQLONG;\ntypedef unsigned long MQULONG;\n\
         #if defined(_MSC_VER)\ntypedef __int64 MQINT64;\ntypedef unsigned __int64 MQUINT64;\n#else\n\
         __extension__ typedef long long MQINT64;\n__extension__ typedef unsigned long long MQUINT64;\n#endif\n#endif\n\n\
         typedef char MQCHAR;\ntypedef unsigned char MQBYTE;\ntypedef short MQINT16;\ntypedef unsigned short MQUINT16;\n\
         typedef signed char MQINT8;\ntypedef unsigned char MQUINT8;\ntypedef float MQFLOAT32;\ntypedef double MQFLOAT64;\n\
         typedef MQLONG MQINT32;\ntypedef MQULONG MQUINT32;\n\
         typedef MQLONG MQBOOL;\ntypedef MQLONG MQHBAG;\ntypedef MQLONG MQHCONN;\ntypedef MQLONG MQHOBJ;\n\
         typedef MQLONG MQPID;\ntypedef MQLONG MQTID;\ntypedef MQINT64 MQHMSG;\n\
         typedef void MQPOINTER MQPTR;\ntypedef void MQPOINTER PMQVOID;\ntypedef void MQPOINTER PMQFUNC;\n\
         typedef PMQVOID MQPOINTER PPMQVOID;\n\n",
    );
    for (element, lengths) in [("MQBYTE", &BYTE_ARRAYS[..]), ("MQCHAR", &CHARACTER_ARRAYS[..]), ("MQCHAR", &[1024])] {
        for length in lengths {
            let _ = writeln!(out, "typedef {element} {element}{length}[{length}];");
            let _ = writeln!(out, "typedef {element}{length} MQPOINTER P{element}{length};");
        }
    }
    let scalars = "MQLONG MQULONG MQINT64 MQUINT64 MQINT32 MQUINT32 MQINT16 MQUINT16 MQINT8 MQUINT8 MQCHAR MQBYTE MQFLOAT32 \
                   MQFLOAT64 MQBOOL MQHBAG MQHCONN MQHOBJ MQPID MQTID MQHMSG MQPTR";
    for scalar in scalars.split_whitespace() {
        let _ = writeln!(out, "typedef {scalar} MQPOINTER P{scalar};\ntypedef P{scalar} MQPOINTER PP{scalar};");
    }
    out.push('\n');
    for Structure { name, .. } in &table.structures {
        let _ = writeln!(out, "typedef struct tag{name} {name};\ntypedef {name} MQPOINTER P{name};");
        let _ = writeln!(out, "typedef P{name} MQPOINTER PP{name};");
    }
    out.push_str("\ntypedef PMQIEP MQHCONFIG;\ntypedef MQHCONFIG MQPOINTER PMQHCONFIG;\n\n");
    out
}

fn define(table: &Table, constant: &Constant) -> String {
    let Constant { name, value, .. } = constant;
    if *name == "MQCCSI_APPL" {
        return format!("#ifndef {name}\n#define {name} ({value})\n#endif\n");
    }
    if let Some((_, big)) = BIG_ENDIAN.iter().find(|(known, _)| known == name) {
        return format!(
            "#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__\n#define {name} {big}\n#else\n\
             #define {name} {value}\n#endif\n"
        );
    }
    if let Some(narrow) = table.value_on_32_bits(constant) {
        return format!("#if defined(MQ_64_BIT)\n#define {name} {value}\n#else\n#define {name} {narrow}\n#endif\n");
    }
    match constant.integer() {
        Some(i32::MIN) => format!("#define {name} (-2147483647 - 1)\n"),
        Some(number) if number < 0 => format!("#define {name} ({number})\n"),
        Some(number) => format!("#define {name} {number}\n"),
        None if constant.kind == Kind::Character => format!("#define {name} {value}\n"),
        None => format!("#define {name} {value}\n#define {name}_ARRAY {}\n", listed(&constant.bytes())),
    }
}

/// The bytes as the elements of an array.
fn listed(bytes: &[u8]) -> String {
    let one = |byte: &u8| match byte {
        0 => "0".to_owned(),
        b'\'' | b'\\' => format!("'\\{}'", char::from(*byte)),
        printable if (b' '..0x7F).contains(printable) => format!("'{}'", char::from(*printable)),
        other => other.to_string(),
    };
    bytes.iter().map(one).collect::<Vec<_>>().join(",")
}

/// The structures of a header, each behind those that it holds.
fn in_order<'a>(table: &'a Table, header: &str) -> Vec<&'a Structure> {
    let mut order: Vec<&Structure> = Vec::new();
    let mut left: Vec<&Structure> = table.structures.iter().filter(|structure| structure.header == header).collect();
    while !left.is_empty() {
        let is_free = |structure: &Structure| {
            structure.fields.iter().all(|field| !left.iter().any(|other| other.name == field.type_name))
        };
        let (free, bound): (Vec<_>, Vec<_>) = left.iter().copied().partition(|structure| is_free(structure));
        assert!(!free.is_empty(), "structures of {header} hold each other");
        order.extend(free);
        left = bound;
    }
    order
}

fn definition(structure: &Structure) -> String {
    let mut out = format!("\nstruct tag{} {{\n", structure.name);
    for field in &structure.fields {
        let dimension = field.count.map_or_else(String::new, |count| format!("[{count}]"));
        let _ = writeln!(out, "  {} {}{dimension};", field.type_name, field.name);
    }
    out.push_str("};\n");
    out
}

fn initial_values(structure: &Structure) -> String {
    if structure.fields.iter().any(|field| field.initial.is_empty()) {
        return String::new();
    }
    let name = structure.name;
    let values = |replaced: Option<(&str, &str)>| {
        let of = |field: &Field| match replaced {
            Some((known, value)) if known == field.name => value.to_owned(),
            _ => initial(field),
        };
        structure.fields.iter().map(of).collect::<Vec<_>>().join(", \\\n  ")
    };
    if name == "MQCD" {
        // The table's values are a client's. A sender's differ in the type.
        return format!(
            "\n#define MQCD_CLIENT_CONN_DEFAULT \\\n  {}\n\n#define MQCD_DEFAULT \\\n  {}\n",
            values(None),
            values(Some(("ChannelType", "1")))
        );
    }
    format!("\n#define {name}_DEFAULT \\\n  {}\n", values(None))
}

fn initial(field: &Field) -> String {
    let value = field.initial;
    let is_array = field.count.is_some()
        || field.type_name.starts_with("MQCHAR") && field.type_name != "MQCHAR"
        || field.type_name.starts_with("MQBYTE");
    match value {
        "\"\"" => "{0}".to_owned(),
        "MQCHARV_DEFAULT" | "MQCFH_DEFAULT" | "MQMD1_DEFAULT" => format!("{{{value}}}"),
        quoted if quoted.starts_with('\'') => match field.type_name {
            "MQCHAR" if field.count.is_none() => quoted.to_owned(),
            _ => format!("{{{}}}", listed(&bytes(quoted))),
        },
        list if is_array => format!("{{{list}}}"),
        number => number.to_owned(),
    }
}

/// The types of the functions of MQIEP.
fn call_types(table: &Table) -> String {
    let mut out = String::from("\n");
    for function in &table.functions {
        let Some(name) = function.name.strip_prefix("MQ") else { continue };
        let _ = writeln!(
            out,
            "typedef void MQENTRY MQ_{name}_CALL({});\ntypedef MQ_{name}_CALL MQPOINTER PMQ_{name}_CALL;",
            parameters(function)
        );
    }
    out
}

fn parameters(function: &Function) -> String {
    function.parameters.split(", ").map(|each| format!("\n  {each}")).collect::<Vec<_>>().join(",")
}

//! `examples/two-way-service/run.sh`, with the COBOL program that it compiles.

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use super::Checkout;

/// What `run.sh` prints last: the answer of the service.
fn answer(checkout: &Checkout, request: &str) -> Result<Value> {
    let script = format!("URL=https://localhost:9443 MQ=localhost:1414 examples/two-way-service/run.sh '{request}'");
    let out = checkout.run(&script)?;
    Ok(serde_json::from_str(out.lines().next_back().unwrap_or_default())?)
}

#[test]
fn the_example_answers_json_by_a_cobol_program() -> Result<()> {
    let checkout = Checkout::new()?;
    let granted =
        answer(&checkout, r#"{"customer_name":"ADA BYRON","loan_amount":12500,"months":24,"income":2345.67}"#)?;
    let expected = json!({
        "customer_name": "ADA BYRON",
        "approved": "Y",
        "monthly_payment": 562.5,
        "remarks": { "remark": ["SHORT LOAN", "RATE FIXED", ""] },
        "rate_bp": 400
    });
    ensure!(granted == expected, "{granted}");
    // Deployed and defined once more over what is there; another decision, a letter beyond ASCII.
    let refused = answer(&checkout, r#"{"customer_name":"Zoë","loan_amount":99999.99,"months":120,"income":1000}"#)?;
    ensure!(refused["customer_name"] == "Zoë" && refused["approved"] == "N", "{refused}");
    ensure!(refused["monthly_payment"] == json!(1187.5) && refused["rate_bp"] == 425, "{refused}");
    ensure!(refused["remarks"]["remark"] == json!(["INCOME TOO LOW", "", ""]), "{refused}");
    Ok(())
}

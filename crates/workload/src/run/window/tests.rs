use super::*;

#[test]
fn a_rate_is_steady_when_three_windows_agree_and_something_was_done() {
    assert!(!is_steady(&[100.0, 101.0], 5.0), "too few");
    assert!(is_steady(&[10.0, 100.0, 102.0, 104.0], 5.0));
    assert!(!is_steady(&[100.0, 102.0, 106.0], 5.0));
    assert!(!is_steady(&[0.0, 0.0, 0.0], 5.0));
}

#[test]
fn the_driver_is_the_limit_when_it_uses_most_of_busy_processors() {
    let process = |name: &str, cpu_ms| {
        let used = ProcessorTime { used: Duration::from_millis(cpu_ms), ..ProcessorTime::default() };
        process_report(name.to_owned(), 1, String::new(), used, 1.0)
    };
    let all = [process("server", 400), process("driver", 1500)];
    let machine = |share, used_ms| MachineTime { share, used_ms };
    assert!(busiest_process(machine(0.99, 1900.0), &all).unwrap().contains("3.8 times"));
    assert_eq!(busiest_process(machine(0.5, 1900.0), &all), None, "there was room");
    assert_eq!(busiest_process(machine(0.99, 4000.0), &all), None, "others kept the processors busy");
    let server = [process("server", 1600), process("driver", 300)];
    assert_eq!(busiest_process(machine(0.99, 1900.0), &server), None);
    assert!((all[0].cpu_percent - 40.0).abs() < 1e-9);
}

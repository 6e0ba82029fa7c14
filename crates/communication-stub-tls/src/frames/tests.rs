use super::Frames;

#[test]
fn records_end_where_their_lengths_say_however_they_arrive() {
    let records = [&[22, 3, 3, 0, 3, 1, 2, 3][..], &[20, 3, 3, 0, 0], &[23, 3, 3, 1, 1], &[9; 257]].concat();
    let ends = [0, 8, 13, records.len()];
    for step in 1..=records.len() {
        let mut frames = Frames::default();
        let mut passed = 0;
        for piece in records.chunks(step) {
            frames.passed(piece);
            passed += piece.len();
            assert_eq!(frames.is_between(), ends.contains(&passed), "after {passed} bytes by {step}");
        }
    }
}

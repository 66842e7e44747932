//! Sliding windows (draft, sections 3.2 and 5.4).

use crate::routing::batman::window::{Noted, Window};

fn of(numbers: &[u32]) -> Window {
    let mut window = Window::default();
    for &number in numbers {
        window.note(number);
    }
    window
}

#[test]
fn numbers_are_newer_late_or_known() {
    let mut window = Window::default();
    let noted = [5, 7, 5, 6, 6, 8].map(|number| window.note(number));
    let expected =
        [Noted::Newer, Noted::Newer, Noted::Known, Noted::Late, Noted::Known, Noted::Newer];
    assert_eq!(noted, expected);
}

#[test]
fn of_the_last_numbers_those_that_came_are_counted() {
    let window = of(&[1, 2, 4, 8]);
    assert_eq!([1, 4, 5, 8, 64].map(|size| window.count(8, size)), [1, 1, 2, 4, 4]);
}

#[test]
fn the_window_slides_while_nothing_comes() {
    let window = of(&[1, 2, 3, 4]);
    assert_eq!([4, 5, 7, 8, 100].map(|last| window.count(last, 4)), [4, 3, 1, 0, 0]);
}

#[test]
fn what_came_after_the_last_number_does_not_count_yet() {
    let window = of(&[1, 2, 3, 4]);
    assert_eq!(window.count(3, 64), 3);
}

#[test]
fn numbers_wrap() {
    let mut window = of(&[u32::MAX - 1, u32::MAX, 0, 1]);
    assert_eq!(window.count(1, 64), 4);
    assert_eq!(window.note(u32::MAX), Noted::Known);
    assert_eq!(window.note(2), Noted::Newer);
}

#[test]
fn what_is_older_than_the_window_is_known() {
    let mut window = of(&[100]);
    assert_eq!((window.note(37), window.note(36)), (Noted::Late, Noted::Known));
}

#[test]
fn a_long_jump_either_way_begins_anew() {
    // A sender that has started anew.
    let mut window = of(&[1_000_000, 1_000_001]);
    assert_eq!(window.note(3), Noted::Anew);
    assert_eq!((window.newest(), window.count(3, 64)), (Some(3), 1));
    assert_eq!(window.note(1_000_002), Noted::Anew);
}

#[test]
fn a_gap_as_long_as_the_window_empties_it() {
    let window = of(&[1, 2, 66]);
    assert_eq!(window.count(66, 64), 1);
    assert_eq!(of(&[1, 2, 65]).count(65, 64), 2);
}

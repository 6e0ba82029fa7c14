//! MQINQ and MQSET: lists of selectors, of numbers and of characters.

use std::ffi::c_void;

use channel_protocol::flow::inquire::{Attributes, Inquire};
use model::reason::Reason;
use mqi_client::{Ended, failed, verb};

use crate::memory::{bytes, fill, numbers};

/// Most selectors of one call.
const MOST: i32 = 256;

door! {
    fn MQINQ(
        hconn: i32,
        hobj: i32,
        selector_count: i32,
        selectors: *mut i32,
        integer_count: i32,
        integers: *mut i32,
        character_length: i32,
        characters: *mut u8,
    ) {
        let lists = Lists::check(selector_count, integer_count, character_length)?;
        let request = Inquire {
            selectors: numbers(selectors, lists.selectors, Reason::SelectorError)?,
            integer_count: lists.integers,
            character_length: lists.characters,
        };
        let (ended, answer) = verb::inquire(hconn, hobj, &request)?;
        if ended.completion < 2 {
            let native: Vec<u8> = answer.integers.iter().flat_map(|number| number.to_ne_bytes()).collect();
            fill(integers.cast::<c_void>(), lists.integers * 4, &native);
            fill(characters.cast::<c_void>(), lists.characters, &answer.characters);
        }
        Ok(ended)
    }
}

door! {
    fn MQSET(
        hconn: i32,
        hobj: i32,
        selector_count: i32,
        selectors: *mut i32,
        integer_count: i32,
        integers: *mut i32,
        character_length: i32,
        characters: *mut u8,
    ) {
        let lists = Lists::check(selector_count, integer_count, character_length)?;
        let attributes = Attributes {
            selectors: numbers(selectors, lists.selectors, Reason::SelectorError)?,
            integers: numbers(integers, lists.integers, Reason::IntAttrsArrayError)?,
            characters: bytes(characters.cast::<c_void>(), character_length)?.to_vec(),
        };
        verb::set(hconn, hobj, &attributes)
    }
}

/// How long the lists are.
struct Lists {
    selectors: usize,
    integers: usize,
    characters: usize,
}

impl Lists {
    /// # Errors
    /// 2065, 2021, 2006: a count that is none.
    fn check(selectors: i32, integers: i32, characters: i32) -> Result<Self, Ended> {
        let count = |value: i32, reason| usize::try_from(value).map_err(|_| failed(reason));
        if selectors > MOST {
            return Err(failed(Reason::SelectorCountError));
        }
        Ok(Self {
            selectors: count(selectors, Reason::SelectorCountError)?,
            integers: count(integers, Reason::IntAttrCountError)?,
            characters: count(characters, Reason::CharAttrLengthError)?,
        })
    }
}

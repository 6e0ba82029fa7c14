// One shared queue as MQ promises it, for Porcupine.
//
// The state is the messages that can be got, and how many of them an operation without an answer may hide.
//
//   - A put makes its message available. A commit makes all its puts available at once.
//   - A get takes a message that is available. None of a higher priority is available then, and none that its producer's connection has
//     put before with the same priority: producers have no order among them, as on z/OS. A get that finds nothing finds the queue
//     empty. A get by identifier takes that message, or finds that it is not there.
//   - A message that was got in a unit of work is not available until the unit is backed out. A commit changes nothing for it.
//   - A get without an answer may have claimed a message, which others pass over until a peer has recovered the member: so each hides
//     one message at most, from its begin until all is settled. While a connection to the database is cut, and six seconds longer, a
//     message that a lost transaction has locked may be passed over (crates/storage/src/shared/low_water.rs): then any number is hidden.
//     Nothing is hidden from the question whether a message is there twice.
package main

import (
	"hash/fnv"
	"sort"

	"github.com/anishathalye/porcupine"
)

type action int

const (
	add action = iota // makes messages available
	take
	takeAimed
	vanish // a get without an answer has taken it for good
	hide
	reveal
)

type step struct {
	action   action
	messages []int64
	// Of take and takeAimed: 0 is no message.
	got   int64
	count int
}

// Never changed once it is made.
type state struct {
	available []int64 // by number
	hidden    int
}

// Of all messages of the history.
type messages map[int64]message

func queueModel(known messages) porcupine.Model {
	return porcupine.Model{
		Init: func() interface{} { return state{} },
		Step: func(before, input, _ interface{}) (bool, interface{}) {
			return known.step(before.(state), input.(step))
		},
		Equal: func(one, other interface{}) bool {
			a, b := one.(state), other.(state)
			if a.hidden != b.hidden || len(a.available) != len(b.available) {
				return false
			}
			for i := range a.available {
				if a.available[i] != b.available[i] {
					return false
				}
			}
			return true
		},
		Hash: func(value interface{}) uint64 {
			hash := fnv.New64a()
			for _, id := range value.(state).available {
				var bytes [8]byte
				for i := range bytes {
					bytes[i] = byte(id >> (8 * i))
				}
				hash.Write(bytes[:])
			}
			return hash.Sum64() ^ uint64(value.(state).hidden)
		},
	}
}

func (known messages) step(before state, asked step) (bool, interface{}) {
	switch asked.action {
	case add:
		after := state{append([]int64(nil), before.available...), before.hidden}
		for _, id := range asked.messages {
			at := after.place(id)
			if at < len(after.available) && after.available[at] == id {
				return false, before
			}
			after.available = append(after.available, 0)
			copy(after.available[at+1:], after.available[at:])
			after.available[at] = id
		}
		return true, after
	case take:
		if asked.got == 0 {
			return len(before.available) <= before.hidden, before
		}
		return known.ahead(before, asked.got) <= before.hidden && before.has(asked.got), before.without(asked.got)
	case takeAimed:
		if asked.got == 0 {
			return !before.has(asked.messages[0]) || before.hidden > 0, before
		}
		return before.has(asked.got), before.without(asked.got)
	case vanish:
		return before.has(asked.messages[0]), before.without(asked.messages[0])
	case hide:
		return true, state{before.available, before.hidden + asked.count}
	default:
		return true, state{before.available, before.hidden - asked.count}
	}
}

// How many must be got before this one.
func (known messages) ahead(now state, id int64) int {
	count, wanted := 0, known[id]
	for _, other := range now.available {
		one := known[other]
		isBefore := one.Stream == wanted.Stream && other < id
		if one.Priority > wanted.Priority || one.Priority == wanted.Priority && isBefore {
			count++
		}
	}
	return count
}

func (s state) place(id int64) int {
	return sort.Search(len(s.available), func(at int) bool { return s.available[at] >= id })
}

func (s state) has(id int64) bool {
	at := s.place(id)
	return at < len(s.available) && s.available[at] == id
}

func (s state) without(id int64) state {
	after := state{make([]int64, 0, len(s.available)), s.hidden}
	for _, one := range s.available {
		if one != id {
			after.available = append(after.available, one)
		}
	}
	return after
}

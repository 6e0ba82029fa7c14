// From a whole history to the steps of each queue.
//
// The whole history is known, so what an operation without an answer has done is known too, as far as it matters: a message that was seen
// was put, and a message that was got again was given back. What remains open is when; the step may then happen at any time until all is
// settled. All queues are empty at the end, so a message that was put and never got, or given back and never got again, was taken by an
// operation without an answer, or is lost.
package main

import (
	"fmt"
	"math"
	"sort"

	"github.com/anishathalye/porcupine"
)

// How long a lost transaction may have a message locked, and gets pass over it, in microseconds.
const holds = 6_000_000

// More messages than a queue has.
const all = 1 << 30

type builder struct {
	known   messages
	steps   map[int][]porcupine.Operation
	settled int64
	// The gets that had each message, by their end.
	seen map[int64][]*operation
	// Of units of work: which get had the message.
	had map[[2]int64]*operation
	// Given back and not got again: from when on.
	returned map[int64]int64
	disturbs [][2]int64
	client   int
}

// The steps of each queue. An error: a message is lost, or taken twice.
func build(operations []operation) (messages, map[int][]porcupine.Operation, error) {
	b := builder{
		known: messages{}, steps: map[int][]porcupine.Operation{}, settled: math.MaxInt64 / 2,
		seen: map[int64][]*operation{}, had: map[[2]int64]*operation{}, returned: map[int64]int64{},
	}
	for i := range operations {
		b.learn(&operations[i])
	}
	for _, gets := range b.seen {
		sort.Slice(gets, func(i, j int) bool { return *gets[i].Ended < *gets[j].Ended })
	}
	for i := range operations {
		b.translate(&operations[i])
	}
	if err := b.findMissing(operations); err != nil {
		return nil, nil, err
	}
	return b.known, b.steps, nil
}

func (b *builder) learn(o *operation) {
	for _, one := range o.Puts {
		b.known[one.ID] = one
	}
	switch o.Kind {
	case "settled":
		b.settled = o.Begun
	case "disturbed":
		b.disturbs = append(b.disturbs, [2]int64{o.Begun, *o.Ended})
	case "get":
		if o.Got != nil && o.Ended != nil {
			b.seen[*o.Got] = append(b.seen[*o.Got], o)
			if o.Unit != nil {
				b.had[[2]int64{*o.Unit, *o.Got}] = o
			}
		}
	}
}

func (b *builder) translate(o *operation) {
	switch o.Kind {
	case "put", "commit":
		b.translatePuts(o)
		if o.Kind == "commit" && o.Outcome != "done" {
			b.giveBack(o)
		}
	case "backout":
		b.giveBack(o)
	case "get":
		b.translateGet(o)
	case "disturbed":
		for queue := range b.queues() {
			b.at(queue, o.Begun, step{action: hide, count: all})
			if *o.Ended+holds < b.settled {
				b.at(queue, *o.Ended+holds, step{action: reveal, count: all})
			} else {
				b.at(queue, b.settled, step{action: reveal, count: all})
			}
		}
	}
}

func (b *builder) translatePuts(o *operation) {
	if o.Outcome == "failed" {
		return
	}
	byQueue := map[int][]int64{}
	for _, one := range o.Puts {
		if o.Outcome == "done" || len(b.seen[one.ID]) > 0 {
			byQueue[one.Queue] = append(byQueue[one.Queue], one.ID)
		}
	}
	for queue, ids := range byQueue {
		b.within(queue, o.Begun, b.end(o), step{action: add, messages: ids})
	}
}

func (b *builder) translateGet(o *operation) {
	if o.isUnknown() {
		b.at(o.Queue, o.Begun, step{action: hide, count: 1})
		b.at(o.Queue, b.settled, step{action: reveal, count: 1})
		return
	}
	asked := step{action: take}
	if o.Aim != nil {
		asked = step{action: takeAimed, messages: []int64{*o.Aim}}
	}
	if o.Got != nil {
		asked.got = *o.Got
	}
	b.within(o.Queue, o.Begun, *o.Ended, asked)
	// A unit of work that was never ended goes with its connection: it has no operation of its own.
	if o.Unit != nil && o.Got != nil {
		b.had[[2]int64{*o.Unit, *o.Got}] = o
	}
}

// The gets of a unit of work that was not committed, or perhaps was.
func (b *builder) giveBack(o *operation) {
	for _, id := range o.Gets {
		get := b.had[[2]int64{*o.Unit, id}]
		if get == nil {
			continue
		}
		if o.isUnknown() && !b.isSeenAfter(id, get) {
			continue // It was committed.
		}
		from := o.Begun
		if o.isUnknown() || o.Kind == "commit" || b.isDisturbed(*get.Ended, b.end(o)) {
			// A peer may have given it back as soon as it was got.
			from = *get.Ended
		}
		b.within(b.known[id].Queue, from, b.end(o), step{action: add, messages: []int64{id}})
		if !b.isSeenAfter(id, get) {
			b.returned[id] = from
		}
	}
}

func (b *builder) findMissing(operations []operation) error {
	perhaps, from := map[int]int{}, map[int]int64{}
	taken := map[int64]bool{}
	for i := range operations {
		o := &operations[i]
		if o.Kind == "get" && o.isUnknown() && o.Unit == nil {
			if o.Aim != nil {
				taken[*o.Aim] = true
			} else {
				if perhaps[o.Queue] == 0 || o.Begun < from[o.Queue] {
					from[o.Queue] = o.Begun
				}
				perhaps[o.Queue]++
			}
		}
	}
	missing := b.returned
	for i := range operations {
		o := &operations[i]
		for _, one := range o.Puts {
			if o.Outcome == "done" && len(b.seen[one.ID]) == 0 {
				missing[one.ID] = o.Begun
			}
		}
	}
	for id, begin := range missing {
		queue := b.known[id].Queue
		if !taken[id] {
			if perhaps[queue] == 0 {
				return fmt.Errorf("message %d of queue %d is lost", id, queue)
			}
			perhaps[queue]--
			if begin < from[queue] {
				begin = from[queue]
			}
		}
		b.within(queue, begin, b.settled, step{action: vanish, messages: []int64{id}})
	}
	return nil
}

func (b *builder) isSeenAfter(id int64, get *operation) bool {
	for _, other := range b.seen[id] {
		if other != get && *other.Ended > *get.Ended {
			return true
		}
	}
	return false
}

func (b *builder) isDisturbed(from, to int64) bool {
	for _, time := range b.disturbs {
		if time[0] < to && from < time[1]+holds {
			return true
		}
	}
	return false
}

func (b *builder) end(o *operation) int64 {
	if o.isUnknown() {
		return b.settled
	}
	return *o.Ended
}

func (b *builder) queues() map[int]bool {
	queues := map[int]bool{}
	for _, one := range b.known {
		queues[one.Queue] = true
	}
	return queues
}

func (b *builder) at(queue int, time int64, asked step) { b.within(queue, time, time, asked) }

// Each step is its own client: Porcupine orders those of one client by their times alone.
func (b *builder) within(queue int, from, to int64, asked step) {
	if to < from {
		to = from
	}
	b.client++
	one := porcupine.Operation{ClientId: b.client, Input: asked, Call: from, Return: to}
	b.steps[queue] = append(b.steps[queue], one)
}

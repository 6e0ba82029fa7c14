// The history as the test writes it: a line of JSON for each operation, with the times of its begin and end in microseconds.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
)

type message struct {
	ID       int64 `json:"id"`
	Queue    int   `json:"queue"`
	Priority int   `json:"priority"`
	// One connection of one producer: its messages of one priority have the order of their numbers.
	Stream int64 `json:"stream"`
}

// Kinds: put, get, commit, backout; disturbed (a time in which a database connection was cut); settled (from here on no operation
// without an answer has an effect).
type operation struct {
	Kind    string    `json:"kind"`
	Client  int64     `json:"client"`
	Begun   int64     `json:"begun"`
	Ended   *int64    `json:"ended"`
	Outcome string    `json:"outcome"` // done, got, failed, unknown
	Queue   int       `json:"queue"`
	Aim     *int64    `json:"aim"`
	Unit    *int64    `json:"unit"`
	Got     *int64    `json:"got"`
	Gets    []int64   `json:"gets"`
	Puts    []message `json:"puts"`
}

func (o *operation) isUnknown() bool { return o.Outcome == "unknown" || o.Ended == nil }

func read(from io.Reader) ([]operation, error) {
	var operations []operation
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var one operation
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			return nil, fmt.Errorf("line %d: %w", len(operations)+1, err)
		}
		operations = append(operations, one)
	}
	return operations, lines.Err()
}

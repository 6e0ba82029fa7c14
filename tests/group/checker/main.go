// Judges the history of a few shared queues: does an order of all operations exist, each between its begin and its end, in which every
// queue behaves as MQ promises? Porcupine searches it, queue by queue.
//
// Reads the history from standard input. Prints a line for each queue. Exits with 0: linearizable; 1: not; 2: not decided in time.
package main

import (
	"fmt"
	"os"
	"sort"
	"time"

	"github.com/anishathalye/porcupine"
)

const limit = 60 * time.Second

func main() {
	operations, err := read(os.Stdin)
	if err != nil {
		fmt.Println(err)
		os.Exit(2)
	}
	result, said := judge(operations)
	fmt.Print(said)
	switch result {
	case porcupine.Ok:
	case porcupine.Illegal:
		os.Exit(1)
	default:
		os.Exit(2)
	}
}

func judge(operations []operation) (porcupine.CheckResult, string) {
	known, steps, err := build(operations)
	if err != nil {
		return porcupine.Illegal, err.Error() + "\n"
	}
	var queues []int
	for queue := range steps {
		queues = append(queues, queue)
	}
	sort.Ints(queues)
	worst, said := porcupine.Ok, ""
	for _, queue := range queues {
		result := porcupine.CheckOperationsTimeout(queueModel(known), steps[queue], limit)
		said += fmt.Sprintf("queue %d: %d steps, %s\n", queue, len(steps[queue]), result)
		if result == porcupine.Illegal || worst == porcupine.Ok {
			worst = result
		}
	}
	return worst, said
}

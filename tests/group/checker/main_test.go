// Planted faults are found, and what may happen is none.
package main

import (
	"strings"
	"testing"

	"github.com/anishathalye/porcupine"
)

const puts = `{"kind":"put","client":1,"begun":0,"ended":5,"outcome":"done","puts":[{"id":1,"queue":0,"priority":4,"stream":1}]}
{"kind":"put","client":1,"begun":10,"ended":15,"outcome":"done","puts":[{"id":2,"queue":0,"priority":4,"stream":1}]}
{"kind":"put","client":1,"begun":20,"ended":25,"outcome":"done","puts":[{"id":3,"queue":0,"priority":9,"stream":1}]}
{"kind":"put","client":2,"begun":20,"ended":25,"outcome":"done","puts":[{"id":4,"queue":0,"priority":4,"stream":2}]}
`
const gets = `{"kind":"get","client":3,"begun":30,"ended":35,"outcome":"got","queue":0,"got":3}
{"kind":"get","client":3,"begun":40,"ended":45,"outcome":"got","queue":0,"got":1}
{"kind":"get","client":3,"begun":50,"ended":55,"outcome":"got","queue":0,"got":4}
{"kind":"get","client":3,"begun":60,"ended":65,"outcome":"got","queue":0,"got":2}
{"kind":"settled","begun":100}
{"kind":"get","client":9,"begun":110,"ended":115,"outcome":"got","queue":0,"got":null}
`

func check(t *testing.T, name string, expected porcupine.CheckResult, history string) {
	t.Helper()
	operations, err := read(strings.NewReader(history))
	if err != nil {
		t.Fatal(name, err)
	}
	if result, said := judge(operations); result != expected {
		t.Errorf("%s: %s\n%s", name, result, said)
	}
}

// The history with one line in place of the one that begins at this time.
func with(history string, begun string, line string) string {
	var lines []string
	for _, one := range strings.Split(strings.TrimSpace(history), "\n") {
		if !strings.Contains(one, `"begun":`+begun+`,`) {
			lines = append(lines, one)
		} else if line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n") + "\n"
}

func TestWhatMayHappenIsAccepted(t *testing.T) {
	whole := puts + gets
	check(t, "in order", porcupine.Ok, whole)
	check(t, "producers have no order among them", porcupine.Ok,
		with(with(whole, "40", `{"kind":"get","client":3,"begun":40,"ended":45,"outcome":"got","queue":0,"got":4}`),
			"50", `{"kind":"get","client":3,"begun":50,"ended":55,"outcome":"got","queue":0,"got":1}`))
	check(t, "a get without an answer has taken one", porcupine.Ok,
		with(whole, "40", `{"kind":"get","client":3,"begun":40,"ended":null,"outcome":"unknown","queue":0}`))
	check(t, "a put without an answer came late", porcupine.Ok,
		with(whole, "0", `{"kind":"put","client":1,"begun":0,"ended":null,"outcome":"unknown","puts":[{"id":1,"queue":0,"priority":4,"stream":1}]}`))
	check(t, "a put without an answer never came", porcupine.Ok,
		with(with(whole, "0", `{"kind":"put","client":1,"begun":0,"ended":null,"outcome":"unknown","puts":[{"id":1,"queue":0,"priority":4,"stream":1}]}`), "40", ""))
	unit := with(whole, "30", `{"kind":"get","client":3,"begun":26,"ended":28,"outcome":"got","queue":0,"unit":7,"got":3}
{"kind":"get","client":4,"begun":30,"ended":33,"outcome":"got","queue":0,"got":1}
{"kind":"backout","client":3,"begun":34,"ended":38,"outcome":"done","unit":7,"gets":[3]}`)
	check(t, "a message in a unit of work is passed over, and comes back", porcupine.Ok,
		with(unit, "40", `{"kind":"get","client":3,"begun":40,"ended":45,"outcome":"got","queue":0,"got":3}`))
	check(t, "a message that came back is taken by a get without an answer", porcupine.Ok,
		with(unit, "40", `{"kind":"get","client":3,"begun":40,"ended":null,"outcome":"unknown","queue":0}`))
	commit := `{"kind":"commit","client":3,"begun":26,"ended":null,"outcome":"unknown","unit":7,"gets":[3],"puts":[{"id":5,"queue":0,"priority":0,"stream":3}]}
{"kind":"get","client":3,"begun":24,"ended":25,"outcome":"got","queue":0,"unit":7,"got":3}
`
	check(t, "a commit without an answer did not happen", porcupine.Ok, puts+commit+gets)
	check(t, "a commit without an answer happened", porcupine.Ok,
		puts+commit+with(gets, "30", `{"kind":"get","client":3,"begun":70,"ended":75,"outcome":"got","queue":0,"got":5}`))
}

func TestPlantedFaultsAreRejected(t *testing.T) {
	whole := puts + gets
	check(t, "lost", porcupine.Illegal, with(whole, "60", ""))
	check(t, "twice", porcupine.Illegal,
		whole+`{"kind":"get","client":4,"begun":70,"ended":75,"outcome":"got","queue":0,"got":2}`)
	check(t, "never put", porcupine.Illegal,
		with(whole, "10", `{"kind":"put","client":1,"begun":10,"ended":15,"outcome":"failed","puts":[{"id":2,"queue":0,"priority":4,"stream":1}]}`))
	swapped := with(with(whole, "40", `{"kind":"get","client":3,"begun":40,"ended":45,"outcome":"got","queue":0,"got":2}`),
		"60", `{"kind":"get","client":3,"begun":60,"ended":65,"outcome":"got","queue":0,"got":1}`)
	check(t, "order of a producer", porcupine.Illegal, swapped)
	low := with(with(whole, "30", `{"kind":"get","client":3,"begun":30,"ended":35,"outcome":"got","queue":0,"got":1}`),
		"40", `{"kind":"get","client":3,"begun":40,"ended":45,"outcome":"got","queue":0,"got":3}`)
	check(t, "order of priorities", porcupine.Illegal, low)
	check(t, "an empty queue that is not", porcupine.Illegal,
		whole+`{"kind":"get","client":4,"begun":56,"ended":58,"outcome":"got","queue":0,"got":null}`)
	check(t, "got before it was put", porcupine.Illegal,
		with(whole, "30", `{"kind":"get","client":3,"begun":16,"ended":18,"outcome":"got","queue":0,"got":3}`))
	held := with(whole, "30", `{"kind":"get","client":3,"begun":26,"ended":28,"outcome":"got","queue":0,"unit":7,"got":3}
{"kind":"get","client":4,"begun":30,"ended":33,"outcome":"got","queue":0,"got":3}
{"kind":"commit","client":3,"begun":34,"ended":38,"outcome":"done","unit":7,"gets":[3]}`)
	check(t, "got while a unit of work has it", porcupine.Illegal, held)
	backed := strings.Replace(held, `"kind":"commit"`, `"kind":"backout"`, 1)
	check(t, "got before it was backed out", porcupine.Illegal, backed)
}

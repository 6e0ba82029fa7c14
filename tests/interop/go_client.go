// A Go program that uses the messaging and administrative REST API over HTTPS, with the standard library alone.
// Arguments: base URL, file of the certificate to trust, password of app, password of admin.
package main

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"os"
	"sync"
	"time"
)

var base, appPassword, adminPassword string

func check(ok bool, format string, values ...any) {
	if !ok {
		fmt.Fprintf(os.Stderr, format+"\n", values...)
		os.Exit(1)
	}
}

func newClient(caFile string) *http.Client {
	certificate, err := os.ReadFile(caFile)
	check(err == nil, "%v", err)
	roots := x509.NewCertPool()
	check(roots.AppendCertsFromPEM(certificate), "no certificate in %s", caFile)
	jar, err := cookiejar.New(nil)
	check(err == nil, "%v", err)
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true}
	return &http.Client{Transport: transport, Jar: jar, Timeout: 60 * time.Second}
}

func call(client *http.Client, method, path, body string, headers map[string]string) (int, http.Header, string) {
	request, err := http.NewRequest(method, base+path, bytes.NewBufferString(body))
	check(err == nil, "%v", err)
	request.Header.Set("ibm-mq-rest-csrf-token", "go")
	for name, value := range headers {
		request.Header.Set(name, value)
	}
	answer, err := client.Do(request)
	check(err == nil, "%s %s: %v", method, path, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	check(err == nil, "%v", err)
	check(answer.ProtoMajor == 2, "HTTP/2 was expected: %s", answer.Proto)
	return answer.StatusCode, answer.Header, string(text)
}

func main() {
	base, appPassword, adminPassword = os.Args[1], os.Args[3], os.Args[4]
	client := newClient(os.Args[2])
	login, _ := json.Marshal(map[string]string{"username": "app", "password": appPassword})
	asJSON := map[string]string{"Content-Type": "application/json"}
	status, _, text := call(client, "POST", "/ibmmq/rest/v2/login", string(login), asJSON)
	check(status == 204, "login: %d %s", status, text)

	const queue = "/ibmmq/rest/v2/messaging/qmgr/QM1/queue/DEV.QUEUE.2/message"
	const count = 40
	asText := map[string]string{"Content-Type": "text/plain;charset=utf-8"}
	var group sync.WaitGroup
	for index := 0; index < count; index++ {
		group.Add(1)
		go func(index int) {
			defer group.Done()
			status, headers, text := call(client, "POST", queue, fmt.Sprintf("message %d", index), asText)
			check(status == 201 && len(headers.Get("ibm-mq-md-messageId")) == 48, "put: %d %s", status, text)
		}(index)
	}
	group.Wait()

	seen := map[string]bool{}
	for index := 0; index < count; index++ {
		status, _, text := call(client, "DELETE", queue, "", nil)
		check(status == 200 && !seen[text], "get %d: %d %s", index, status, text)
		seen[text] = true
	}
	status, _, _ = call(client, "DELETE", queue, "", nil)
	check(status == 204, "the queue is not empty: %d", status)

	admin := newClient(os.Args[2])
	request, err := http.NewRequest("POST", base+"/ibmmq/rest/v2/admin/action/qmgr/QM1/mqsc",
		bytes.NewBufferString(`{"type":"runCommand","parameters":{"command":"DISPLAY QLOCAL(DEV.QUEUE.2) CURDEPTH"}}`))
	check(err == nil, "%v", err)
	request.SetBasicAuth("admin", adminPassword)
	request.Header.Set("Content-Type", "application/json;charset=UTF-8")
	request.Header.Set("ibm-mq-rest-csrf-token", "")
	answer, err := admin.Do(request)
	check(err == nil, "%v", err)
	defer answer.Body.Close()
	var reply struct {
		CommandResponse []struct {
			CompletionCode int      `json:"completionCode"`
			Text           []string `json:"text"`
		} `json:"commandResponse"`
		OverallReasonCode int `json:"overallReasonCode"`
	}
	check(json.NewDecoder(answer.Body).Decode(&reply) == nil, "no JSON")
	check(answer.StatusCode == 200 && reply.OverallReasonCode == 0 && len(reply.CommandResponse) == 1, "%+v", reply)
	check(bytes.Contains([]byte(reply.CommandResponse[0].Text[0]), []byte("CURDEPTH(0)")), "%+v", reply)
	fmt.Println("done")
}

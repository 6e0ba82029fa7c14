// Puts, gets, inquires properties and consumes by a callback, with the public Go binding.
package main

import (
	"fmt"
	"os"
	"time"

	"github.com/ibm-messaging/mq-golang/v5/ibmmq"
)

func check(what string, err error) {
	if err != nil {
		fmt.Println(what, err)
		os.Exit(1)
	}
}

func main() {
	cno := ibmmq.NewMQCNO()
	csp := ibmmq.NewMQCSP()
	csp.AuthenticationType = ibmmq.MQCSP_AUTH_USER_ID_AND_PWD
	csp.UserId = "app"
	csp.Password = os.Getenv("PASSWORD")
	cno.SecurityParms = csp
	connection, err := ibmmq.Connx("QM1", cno)
	check("connect", err)

	od := ibmmq.NewMQOD()
	od.ObjectType = ibmmq.MQOT_Q
	od.ObjectName = "DEV.QUEUE.1"
	queue, err := connection.Open(od, ibmmq.MQOO_OUTPUT|ibmmq.MQOO_INPUT_SHARED|ibmmq.MQOO_INQUIRE)
	check("open", err)

	handle, err := connection.CrtMH(ibmmq.NewMQCMHO())
	check("create handle", err)
	check("set", handle.SetMP(ibmmq.NewMQSMPO(), "colour", ibmmq.NewMQPD(), "blue"))
	check("set", handle.SetMP(ibmmq.NewMQSMPO(), "size", ibmmq.NewMQPD(), int32(42)))

	md := ibmmq.NewMQMD()
	pmo := ibmmq.NewMQPMO()
	pmo.Options = ibmmq.MQPMO_NO_SYNCPOINT
	pmo.OriginalMsgHandle = handle
	md.Format = ibmmq.MQFMT_STRING
	check("put", queue.Put(md, pmo, []byte("hello")))

	values, err := queue.Inq([]int32{ibmmq.MQCA_Q_NAME, ibmmq.MQIA_CURRENT_Q_DEPTH})
	check("inquire", err)
	fmt.Println(values[ibmmq.MQCA_Q_NAME], values[ibmmq.MQIA_CURRENT_Q_DEPTH])

	got, err := connection.CrtMH(ibmmq.NewMQCMHO())
	check("create handle", err)
	gmo := ibmmq.NewMQGMO()
	gmo.Options = ibmmq.MQGMO_NO_SYNCPOINT | ibmmq.MQGMO_WAIT | ibmmq.MQGMO_PROPERTIES_IN_HANDLE
	gmo.WaitInterval = 3000
	gmo.MsgHandle = got
	buffer := make([]byte, 100)
	length, err := queue.Get(ibmmq.NewMQMD(), gmo, buffer)
	check("get", err)
	fmt.Println(string(buffer[:length]))
	impo := ibmmq.NewMQIMPO()
	impo.Options = ibmmq.MQIMPO_CONVERT_VALUE | ibmmq.MQIMPO_INQ_FIRST
	for name, value, err := got.InqMP(impo, ibmmq.NewMQPD(), "%"); err == nil; name, value, err = got.InqMP(impo, ibmmq.NewMQPD(), "%") {
		fmt.Println(name, value)
		impo.Options = ibmmq.MQIMPO_CONVERT_VALUE | ibmmq.MQIMPO_INQ_NEXT
	}

	called := make(chan string, 1)
	cbd := ibmmq.NewMQCBD()
	cbd.CallbackFunction = func(_ *ibmmq.MQQueueManager, _ *ibmmq.MQObject, _ *ibmmq.MQMD, _ *ibmmq.MQGMO, body []byte, _ *ibmmq.MQCBC, err *ibmmq.MQReturn) {
		if err.MQRC == ibmmq.MQRC_NONE {
			called <- string(body)
		}
	}
	consume := ibmmq.NewMQGMO()
	consume.Options = ibmmq.MQGMO_NO_SYNCPOINT | ibmmq.MQGMO_WAIT
	consume.WaitInterval = ibmmq.MQWI_UNLIMITED
	pmo.OriginalMsgHandle = ibmmq.MQMessageHandle{}
	check("put", queue.Put(ibmmq.NewMQMD(), ibmmq.NewMQPMO(), []byte("for the callback")))
	check("register", queue.CB(ibmmq.MQOP_REGISTER, cbd, ibmmq.NewMQMD(), consume))
	check("start", connection.Ctl(ibmmq.MQOP_START, ibmmq.NewMQCTLO()))
	select {
	case body := <-called:
		fmt.Println(body)
	case <-time.After(10 * time.Second):
		fmt.Println("no callback")
	}
	check("stop", connection.Ctl(ibmmq.MQOP_STOP, ibmmq.NewMQCTLO()))
	od.ObjectName = "NO.SUCH.QUEUE"
	_, err = connection.Open(od, ibmmq.MQOO_OUTPUT)
	fmt.Println(err)
	check("close", queue.Close(0))
	check("disconnect", connection.Disc())
	fmt.Println("done")
}

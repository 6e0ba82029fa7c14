"""Puts, gets, administers by PCF, and publishes, with pymqi.

sys.argv is host(port), the passwords of app and admin, and the CipherSpec of the channels, empty for none."""
import sys

import pymqi

address, app, admin, cipher = sys.argv[1:]


def connect(channel, user, password):
    connection = pymqi.QueueManager(None)
    cd = pymqi.CD(ChannelName=channel.encode(), ConnectionName=address.encode(),
                  ChannelType=pymqi.CMQC.MQCHT_CLNTCONN, TransportType=pymqi.CMQC.MQXPT_TCP,
                  SSLCipherSpec=cipher.encode())
    connection.connect_with_options("QM1", cd=cd, user=user, password=password)
    return connection


connection = connect("DEV.APP.SVRCONN", "app", app)
queue = pymqi.Queue(connection, "DEV.QUEUE.1",
                    pymqi.CMQC.MQOO_OUTPUT | pymqi.CMQC.MQOO_INPUT_SHARED | pymqi.CMQC.MQOO_INQUIRE)
queue.put(b"hello")
gmo = pymqi.GMO(Options=pymqi.CMQC.MQGMO_WAIT | pymqi.CMQC.MQGMO_FAIL_IF_QUIESCING, WaitInterval=2000)
print(queue.get(None, None, gmo).decode())
try:
    queue.get(None, None, pymqi.GMO(Options=pymqi.CMQC.MQGMO_NO_WAIT))
except pymqi.MQMIError as error:
    print(error.comp, error.reason)
print(queue.inquire(pymqi.CMQC.MQIA_MAX_Q_DEPTH))

message = pymqi.MessageHandle(connection)
message.properties.set(b"colour", "blue")
pmo = pymqi.PMO(Version=pymqi.CMQC.MQPMO_VERSION_3)
pmo.OriginalMsgHandle = message.msg_handle
queue.put(b"with properties", pymqi.MD(Version=pymqi.CMQC.MQMD_VERSION_2), pmo)
got = pymqi.MessageHandle(connection)
gmo = pymqi.GMO(Version=pymqi.CMQC.MQGMO_VERSION_4)
gmo.Options = pymqi.CMQC.MQGMO_PROPERTIES_IN_HANDLE
gmo.MsgHandle = got.msg_handle
print(queue.get(None, pymqi.MD(), gmo).decode(), got.properties.get(b"colour"))
queue.close()

subscription = pymqi.Subscription(connection)
sd = pymqi.SD()
sd["Options"] = pymqi.CMQC.MQSO_CREATE | pymqi.CMQC.MQSO_NON_DURABLE | pymqi.CMQC.MQSO_MANAGED
sd.set_vs("ObjectString", "dev/colours")
subscription.sub(sub_desc=sd)
topic = pymqi.Topic(connection, topic_string="dev/colours")
topic.open(open_opts=pymqi.CMQC.MQOO_OUTPUT)
topic.pub(b"published")
gmo = pymqi.GMO(Options=pymqi.CMQC.MQGMO_WAIT | pymqi.CMQC.MQGMO_NO_SYNCPOINT, WaitInterval=2000)
print(subscription.get(None, pymqi.MD(), gmo).decode())
topic.close()
subscription.close(sub_close_options=0, close_sub_queue=True)
connection.disconnect()

connection = connect("DEV.ADMIN.SVRCONN", "admin", admin)
pcf = pymqi.PCFExecute(connection)
queues = pcf.MQCMD_INQUIRE_Q({pymqi.CMQC.MQCA_Q_NAME: b"DEV.QUEUE.*", pymqi.CMQC.MQIA_Q_TYPE: pymqi.CMQC.MQQT_LOCAL})
print([entry[pymqi.CMQC.MQCA_Q_NAME].decode().strip() for entry in queues])
connection.disconnect()
print("done")

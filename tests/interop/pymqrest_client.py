"""pymqrest, as it comes, against a server: every kind of object, statuses, ensure methods, errors, both ways to log in.

Arguments: base URL, queue manager, passwords of admin, reader and app; QM2 is a second queue manager of the server. REQUESTS_CA_BUNDLE names the certificate to trust.
Prints the name of each part that passed, and "done".
"""

import sys

from pymqrest.auth import BasicAuth, LTPAAuth
from pymqrest.ensure import EnsureAction
from pymqrest.exceptions import MQRESTAuthError, MQRESTCommandError
from pymqrest.session import MQRESTSession

BASE, QMGR, ADMIN, READER, APP = sys.argv[1:]
REST = BASE + "/ibmmq/rest/v2"


def session(user="admin", password=ADMIN, login=BasicAuth, **more):
    return MQRESTSession(more.pop("base", REST), more.pop("qmgr", QMGR), credentials=login(user, password), **more)


mq = session()
# Some objects have keys that its mapping tables leave out, such as the scope of a subscription.
loose = session(mapping_strict=False)


def refused(expected, call, *arguments, **named):
    """The call fails with this reason in its first element, and 2/3008 over all."""
    try:
        call(*arguments, **named)
    except MQRESTCommandError as error:
        payload = error.payload
        assert error.status_code == 200, error.status_code
        assert (payload["overallCompletionCode"], payload["overallReasonCode"]) == (2, 3008), payload
        item = payload["commandResponse"][0]
        assert (item["completionCode"], item["reasonCode"]) == (2, expected), payload
        assert item["message"][0].startswith("AMQ"), payload
        return
    raise AssertionError(f"{call.__name__} {arguments} was not refused")


def shown(rows, **expected):
    """Exactly one object, with these attributes among others."""
    assert len(rows) == 1, rows
    for key, value in expected.items():
        assert rows[0].get(key) == value, (key, value, rows[0].get(key), rows[0])
    return rows[0]


def life(kind, name, first, then, show=None, client=mq, exists=4001, missing=2085, **named):
    """Defines, displays, alters, ensures and deletes one object through the methods of its kind.

    `first` and `then` are what it is made with and altered to; `named` is the type that ALTER names.
    """
    define, alter = getattr(client, "define_" + kind), getattr(client, "alter_" + kind)
    delete, display = getattr(client, "delete_" + kind), getattr(client, "display_" + (show or kind))
    # A second run on the same data finds nothing of the first.
    define(name, {**first, "replace": "yes"})
    shown(display(name), **first)
    refused(exists, define, name, {**first, "replace": "no"})
    alter(name, {**named, **then})
    shown(display(name), **then)
    ensure = getattr(client, "ensure_" + kind)
    assert ensure(name, then).action is EnsureAction.UNCHANGED, client.last_response_payload
    changed = {key: first[key] for key in then}
    # It sends what differs alone, without the type: the server looks that up.
    result = ensure(name, changed)
    assert result.action is EnsureAction.UPDATED and set(result.changed) == set(changed), result
    delete(name)
    refused(missing, display, name)
    refused(missing, delete, name)
    assert ensure(name, {**named, **first}).action is EnsureAction.CREATED, client.last_response_payload
    delete(name)


def local_queues():
    life("qlocal", "PY.LOCAL", {"description": "Made by pymqrest", "max_queue_depth": 10, "default_persistence": "yes"},
         {"description": "Altered", "max_queue_depth": 20}, show="queue")
    mq.define_qlocal("PY.LOCAL", {"shareability": "no", "trigger_control": "yes", "like": "SYSTEM.DEFAULT.LOCAL.QUEUE"})
    row = shown(mq.display_queue("PY.LOCAL"), type="QLOCAL", current_queue_depth=0)
    assert len(row) > 50, sorted(row)
    only = shown(mq.display_queue("PY.LOCAL", response_parameters=["max_queue_depth"]), max_queue_depth=5000)
    assert len(only) == 3, only
    mq.clear_qlocal("PY.LOCAL")
    mq.define_qlocal("PY.OTHER", {"max_queue_depth": 7})
    found = mq.display_queue("PY.*", where="max_queue_depth LT 10")
    assert [row["queue_name"] for row in found] == ["PY.OTHER"], found
    assert len(mq.display_queue("PY.*")) == 2
    mq.delete_queue("PY.OTHER")
    mq.delete_qlocal("PY.LOCAL", {"purge": "yes"})


def other_queues():
    life("qalias", "PY.ALIAS", {"target_queue_name": "DEV.QUEUE.1", "description": "An alias"}, {"description": "Other"},
         show="queue")
    life("qremote", "PY.REMOTE", {"remote_queue_name": "A.B", "remote_queue_manager_name": "QM9",
                                  "description": "A remote one"}, {"remote_queue_name": "C.D"}, show="queue")
    life("qmodel", "PY.MODEL", {"definition_type": "PERMDYN", "max_queue_depth": 3}, {"max_queue_depth": 4}, show="queue")


def topics_and_subscriptions():
    life("topic", "PY.TOPIC", {"topic_string": "py/topic", "description": "News"}, {"description": "Old news"})
    mq.define_topic("PY.TOPIC", {"topic_string": "py/topic", "replace": "yes"})
    mq.define_sub("PY.SUB", {"topic_string": "py/topic", "destination": "DEV.QUEUE.3", "user_data": "one"})
    shown(loose.display_sub("PY.SUB"), topic_string="py/topic", destination="DEV.QUEUE.3", user_data="one")
    mq.alter_sub("PY.SUB", {"user_data": "two"})
    shown(loose.display_sub("PY.SUB"), user_data="two")
    shown(loose.display_sbstatus("PY.SUB"), topic_string="py/topic")
    assert loose.ensure_sub("PY.SUB", {"user_data": "two"}).action is EnsureAction.UNCHANGED
    assert loose.ensure_sub("PY.SUB", {"user_data": "three"}).action is EnsureAction.UPDATED
    mq.delete_sub("PY.SUB")
    mq.delete_topic("PY.TOPIC")


def queue_manager():
    row = mq.display_qmgr()
    assert row["queue_manager_name"] == QMGR and len(row) > 60, row
    before = row["description"]
    assert mq.ensure_qmgr({"description": "Under pymqrest"}).action is EnsureAction.UPDATED
    assert mq.ensure_qmgr({"description": "Under pymqrest"}).action is EnsureAction.UNCHANGED
    mq.alter_qmgr({"description": before, "queue_monitoring": "off"})
    assert mq.display_qmgr()["description"] == before
    assert loose.display_qmstatus()["ha_status"] == "RUNNING", loose.last_response_payload
    mq.ping_qmgr()
    mq.refresh_security()


def statuses():
    row = mq.display_qstatus("DEV.QUEUE.1")
    shown(row, current_queue_depth=0)
    refused(4091, mq.display_qstatus, "DEV.QUEUE.1", {"type": "HANDLE"})
    refused(2085, mq.display_qstatus, "NO.SUCH.QUEUE")
    refused(2085, mq.display_queue, "NO.SUCH.*")


def authority_records():
    record = {"profile_name": "DEV.QUEUE.1", "object_type": "QUEUE", "principal_names": ["py-user"]}
    mq.set_authrec(request_parameters={**record, "authority_add": ["GET", "PUT"]})
    row = shown(loose.display_authrec(request_parameters=record))
    assert sorted(row["AUTHLIST"]) == ["GET", "PUT"], row
    mq.set_authrec(request_parameters={**record, "authority_remove": ["PUT"]})
    assert loose.display_authrec(request_parameters=record)[0]["AUTHLIST"] == ["GET"]
    mq.delete_authrec(request_parameters=record)


def channel_authentication():
    rule = {"type": "ADDRESSMAP", "address": "192.0.2.*"}
    mq.set_chlauth("PY.CHANNEL", {**rule, "user_source": "NOACCESS", "description": "Nobody", "action": "REPLACE"})
    row = shown(loose.display_chlauth("PY.CHANNEL", {**rule, "match": "EXACT"}))
    assert row["address"] == "192.0.2.*" and row["description"] == "Nobody", row
    mq.set_chlauth("PY.CHANNEL", {**rule, "action": "REMOVE"})
    users = {"type": "BLOCKUSER", "user_list": ["nobody", "guest"]}
    mq.set_chlauth("PY.CHANNEL", {**users, "action": "ADD"})
    mq.set_chlauth("PY.CHANNEL", {"type": "BLOCKUSER", "action": "REMOVEALL"})


def channels():
    life("channel", "PY.SVRCONN", {"channel_type": "SVRCONN", "description": "For programs", "max_instances": 5,
                                   "sharing_conversations": 1}, {"description": "Other", "max_instances": 6},
         exists=4042, channel_type="SVRCONN")
    for name, attributes in {
        "PY.SENDER": {"channel_type": "SDR", "connection_name": "host.example(1414)", "transmission_queue_name": "PY.XMIT"},
        "PY.RECEIVER": {"channel_type": "RCVR", "transport_type": "TCP"},
        "PY.CLIENT": {"channel_type": "CLNTCONN", "connection_name": "host.example(1414)", "queue_manager_name": QMGR},
    }.items():
        mq.define_channel(name, {**attributes, "replace": "yes"})
        shown(mq.display_channel(name), channel_name=name)
        # Definitions of client channels lie in a table of their own.
        mq.delete_channel(name, {"channel_table": "CLNTTBL"} if name == "PY.CLIENT" else None)
    refused(3065, mq.display_chstatus, "DEV.APP.SVRCONN")


def small_objects():
    life("listener", "PY.LISTENER", {"transport_type": "TCP", "port": 31414, "description": "First"}, {"port": 31415})
    life("process", "PY.PROCESS", {"application_id": "/bin/true", "user_data": "Some Data"}, {"user_data": "Others"})
    life("namelist", "PY.NAMES", {"names": ["A.B", "C.D"], "description": "Two"}, {"names": ["E.F"]})
    life("service", "PY.SERVICE", {"start_command": "/bin/true", "start_arguments": "a b", "service_type": "COMMAND"},
         {"start_arguments": "c"}, client=loose)
    life("authinfo", "PY.AUTHINFO", {"authentication_info_type": "IDPWOS", "description": "Users", "failure_delay": 2},
         {"failure_delay": 3}, client=loose, authentication_info_type="IDPWOS")
    life("comminfo", "PY.COMMINFO", {"description": "Multicast", "port": 1414}, {"port": 1415}, client=loose)


def more_statuses():
    # A command of z/OS, as all of them refused in JSON.
    refused(3008, loose.display_cmdserv)
    shown(loose.display_pubsub(), queue_manager_name=QMGR)
    assert any(row["admin_topic_name"] == "DEV.BASE.TOPIC" for row in loose.display_tpstatus("#"))


def logging_in():
    token = session(login=LTPAAuth)
    assert token.display_qmgr()["queue_manager_name"] == QMGR
    assert "Authorization" not in token._build_headers()
    try:
        session(password="wrong", login=LTPAAuth)
        raise AssertionError("a wrong password logs in")
    except MQRESTAuthError as error:
        assert error.status_code == 401, error.status_code


def roles():
    reader = session("reader", READER)
    assert reader.display_queue("DEV.QUEUE.1"), reader.last_response_payload
    reader.clear_qlocal("DEV.QUEUE.1")
    assert reader.last_http_status == 403 and reader.last_response_payload["error"][0]["msgId"] == "MQWB0108E"
    app = session("app", APP)
    refused(2035, app.define_qlocal, "PY.FORBIDDEN")


def mistakes():
    """What its error mapping makes of answers that are no 200, and of keywords that do not exist."""
    plain = session(map_attributes=False)
    assert plain.display_queue("DEV.QUEUE.1", response_parameters=["maxmsglen"]) == []
    assert plain.last_http_status == 400 and plain.last_response_payload["error"][0]["msgId"] == "MQWB0120E"
    nowhere = session(qmgr="NOWHERE")
    assert nowhere.ping_qmgr() is None and nowhere.last_http_status == 404
    error = nowhere.last_response_payload["error"][0]
    assert (error["msgId"], error["completionCode"], error["reasonCode"]) == ("MQWB0009E", 2, 2058), error
    unprotected = session(csrf_token=None)
    unprotected.ping_qmgr()
    assert unprotected.last_http_status == 403, unprotected.last_response_payload
    stranger = session(password="wrong")
    stranger.ping_qmgr()
    assert stranger.last_http_status == 401, stranger.last_response_payload
    refused(3229, mq.alter_qlocal, "DEV.QUEUE.1", {"max_queue_depth": 1000000000})


def gateways_and_versions():
    neighbour = session(qmgr="QM2", gateway_qmgr=QMGR)
    assert neighbour.display_qmgr()["queue_manager_name"] == "QM2"
    neighbour.define_qlocal("PY.NEIGHBOUR", {"replace": "yes"})
    assert session(qmgr="QM2").display_queue("PY.NEIGHBOUR"), "not where the gateway leads"
    refused(2085, mq.display_queue, "PY.NEIGHBOUR")
    neighbour.delete_qlocal("PY.NEIGHBOUR")
    lost = session(gateway_qmgr="NOWHERE")
    assert lost.ping_qmgr() is None and lost.last_http_status == 404, lost.last_response_text
    for version in ("v1", "v2", "v3"):
        assert session(base=f"{BASE}/ibmmq/rest/{version}").display_qmgr()["queue_manager_name"] == QMGR


PARTS = [
    local_queues,
    other_queues,
    topics_and_subscriptions,
    queue_manager,
    statuses,
    authority_records,
    channel_authentication,
    channels,
    small_objects,
    more_statuses,
    logging_in,
    roles,
    mistakes,
    gateways_and_versions,
]

for part in PARTS:
    part()
    print(part.__name__, flush=True)
print("done")

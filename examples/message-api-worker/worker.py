#!/usr/bin/env python3
"""Answers each order of one queue exactly once on another queue.

The server locks an order while the work goes on. One transaction completes the order and puts the answer: both happen, or neither
does. Kill this program or the server at any moment: an order without an answer comes again when its lock has run out.

    worker.py [COUNT]      end after COUNT answers; without it, run until stopped
"""

import base64, json, os, ssl, sys, time, urllib.error, urllib.request

URL = os.environ.get("URL", "https://localhost:9443") + "/api/v1/qmgr/QM1"
DATA = os.environ.get("DATA", "quaymaster-data")
LOCK = os.environ.get("LOCK", "60s")  # longer than the work takes
ORDERS, ANSWERS = "DEV.QUEUE.1", "DEV.QUEUE.2"


def password(user):
    if "MQ_PASSWORD" in os.environ:
        return os.environ["MQ_PASSWORD"]
    with open(DATA + "/initial-passwords") as lines:
        return dict(line.split() for line in lines)[user]


TRUST = ssl.create_default_context(cafile=DATA + "/tls/ca.crt")
SIGN_IN = "Basic " + base64.b64encode(f"app:{password('app')}".encode()).decode()


def post(path, body):
    headers = {"Authorization": SIGN_IN, "Content-Type": "application/json"}
    request = urllib.request.Request(URL + path, json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, context=TRUST, timeout=60) as answer:
        return json.load(answer)


def work(order):
    """Put what your orders need in this place."""
    time.sleep(float(os.environ.get("WORK_SECONDS", "0.5")))
    return {"order": order["order"], "state": "accepted"}


def answer(delivery):
    result = work(delivery["body"]["json"])
    message = {"persistence": "persistent", "type": "reply", "correlationId": delivery["id"], "body": {"json": result}}
    post("/transactions", {"complete": [delivery["token"]], "put": [{"queue": ANSWERS, "message": message}]})
    print("answered", result["order"], flush=True)


left = int(sys.argv[1]) if len(sys.argv) > 1 else -1
while left != 0:
    try:
        for delivery in post(f"/queue/{ORDERS}/deliveries", {"max": 1, "wait": "20s", "lock": LOCK})["messages"]:
            answer(delivery)
            left -= 1
    except urllib.error.HTTPError as refusal:
        # 404 and 410: the delivery is over, and its order comes again. Nothing was put.
        print(refusal.code, refusal.read().decode(), file=sys.stderr, flush=True)
        time.sleep(0.2)
    except (OSError, ValueError) as problem:
        # The transaction was done, and its order does not come again; or it was not, and the order does.
        print(problem, file=sys.stderr, flush=True)
        time.sleep(0.2)

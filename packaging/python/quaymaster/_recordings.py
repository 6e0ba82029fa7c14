"""Files with what was recorded: lines of JSON, one for each message and one for each call of an API requester."""

import json


def write(file, messages, calls):
    """`messages` are lines already, `calls` the exchanges that the server shows."""
    with open(file, "w", encoding="utf-8") as out:
        out.write(messages)
        for call in calls:
            out.write(json.dumps(call, ensure_ascii=False) + "\n")


def read(file):
    """The lines of the messages, and the calls. Raises ValueError when the file has neither."""
    messages, calls = [], []
    with open(file, encoding="utf-8") as lines:
        for line in filter(None, map(str.strip, lines)):
            record = json.loads(line)
            if "apiRequester" in record:
                calls.append(record)
            else:
                messages.append(line + "\n")
    if not messages and not calls:
        raise ValueError(f"nothing is recorded in {file}")
    return "".join(messages), calls

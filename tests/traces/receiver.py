"""Receives OTLP over HTTP with the published messages, and webhooks; prints its port, then a line of JSON for each span and webhook."""

import http.server
import json

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest


def plain(attributes):
    return {a.key: getattr(a.value, a.value.WhichOneof("value")) for a in attributes}


class Receiver(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path == "/v1/traces":
            assert self.headers["Content-Type"] == "application/x-protobuf"
            for of in ExportTraceServiceRequest.FromString(body).resource_spans:
                for span in (span for scope in of.scope_spans for span in scope.spans):
                    self.tell({
                        "service": plain(of.resource.attributes)["service.name"],
                        "name": span.name,
                        "kind": span.kind,
                        "trace": span.trace_id.hex(),
                        "span": span.span_id.hex(),
                        "parent": span.parent_span_id.hex(),
                        "state": span.trace_state,
                        "attributes": plain(span.attributes),
                        "nanoseconds": span.end_time_unix_nano - span.start_time_unix_nano,
                        "status": span.status.code,
                        "problem": span.status.message,
                        "links": [link.trace_id.hex() + "-" + link.span_id.hex() for link in span.links],
                    })
        else:
            self.tell({"webhook": self.path, "traceparent": self.headers["traceparent"]})
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def tell(self, what):
        print(json.dumps(what), flush=True)

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
print(server.server_address[1], flush=True)
server.serve_forever()

/* Connects by TLS with a name that the certificate of the queue manager has to have. */
#include "common.h"

static void connect_to(const char *peer)
{
  MQCNO options = {MQCNO_DEFAULT};
  MQCD channel = tls_channel("ANY_TLS12_OR_HIGHER");
  MQSCO keys = {MQSCO_DEFAULT};
  MQHCONN connection = MQHC_UNUSABLE_HCONN;

  channel.SSLPeerNamePtr = (MQPTR)peer;
  channel.SSLPeerNameLength = (MQLONG)strlen(peer);
  strncpy(keys.KeyRepository, getenv("REPOSITORY"), sizeof keys.KeyRepository);
  options.Version = MQCNO_VERSION_4;
  options.ClientConnPtr = &channel;
  options.SSLConfigPtr = &keys;
  MQCONNX("QM1", &options, &connection, &completion, &reason);
  printf("<%s> ", peer);
  say("MQCONNX");
  MQDISC(&connection, &completion, &reason);
}

int main(void)
{
  connect_to("");
  connect_to("CN=localhost");
  connect_to("CN=local*");
  connect_to("CN=localhost,O=Example");
  connect_to("CN=other");
  connect_to("localhost");
  return 0;
}

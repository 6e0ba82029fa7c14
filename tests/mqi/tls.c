/* Connects by TLS with a name that the certificate of the queue manager has to have. */
#include "common.h"

static void connect_to(const char *peer)
{
  MQCNO options = {MQCNO_DEFAULT};
  MQCD channel = {MQCD_CLIENT_CONN_DEFAULT};
  MQSCO keys = {MQSCO_DEFAULT};
  MQHCONN connection = MQHC_UNUSABLE_HCONN;

  strncpy(channel.ChannelName, "APP.TLS", sizeof channel.ChannelName);
  strncpy(channel.ConnectionName, getenv("ADDRESS"), sizeof channel.ConnectionName);
  strncpy(channel.SSLCipherSpec, "ANY_TLS12_OR_HIGHER", sizeof channel.SSLCipherSpec);
  channel.Version = MQCD_VERSION_7;
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

/* Connects by TLS once for each triple of arguments: key repository, its password, certificate label; "-" leaves one to the environment. */
#include "common.h"

static int is_stated(const char *text)
{
  return strcmp(text, "-") != 0;
}

static void connect_with(const char *repository, const char *password, const char *label)
{
  MQCNO options = {MQCNO_DEFAULT};
  MQCD channel = tls_channel(getenv("CIPHER"));
  MQSCO keys = {MQSCO_DEFAULT};
  MQHCONN connection = MQHC_UNUSABLE_HCONN;

  keys.Version = MQSCO_VERSION_6;
  if (is_stated(repository))
    strncpy(keys.KeyRepository, repository, sizeof keys.KeyRepository);
  if (is_stated(password)) {
    keys.KeyRepoPasswordPtr = (MQPTR)password;
    keys.KeyRepoPasswordLength = (MQLONG)strlen(password);
  }
  if (is_stated(label))
    strncpy(keys.CertificateLabel, label, sizeof keys.CertificateLabel);
  options.Version = MQCNO_VERSION_4;
  options.ClientConnPtr = &channel;
  options.SSLConfigPtr = &keys;
  MQCONNX("QM1", &options, &connection, &completion, &reason);
  printf("%s %s ", repository, label);
  say("MQCONNX");
  MQDISC(&connection, &completion, &reason);
}

int main(int count, char **arguments)
{
  for (int at = 1; at + 2 < count; at += 3)
    connect_with(arguments[at], arguments[at + 1], arguments[at + 2]);
  return 0;
}

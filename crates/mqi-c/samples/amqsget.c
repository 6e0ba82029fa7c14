/* amqsget QUEUE [QMGR]: prints the message data of each message, until none has come for 15 seconds (MQSAMP_WAIT: milliseconds). */
#include "common.h"

int main(int count, char **arguments)
{
  MQHCONN connection;
  MQHOBJ object;
  MQLONG completion, reason, length, room = 65536;
  char *wait = getenv("MQSAMP_WAIT");
  char *buffer = malloc((size_t)room);
  int status = 0;

  if (count < 2 || buffer == NULL)
  {
    fprintf(stderr, "usage: amqsget QUEUE [QMGR]\n");
    return 2;
  }
  if (!sample_connect(count > 2 ? arguments[2] : "", &connection))
    return 1;
  if (!sample_open(connection, arguments[1], MQOO_INPUT_AS_Q_DEF, &object))
  {
    MQDISC(&connection, &completion, &reason);
    return 1;
  }
  for (;;)
  {
    MQMD descriptor = {MQMD_DEFAULT};
    MQGMO options = {MQGMO_DEFAULT};

    options.Version = MQGMO_VERSION_2;
    options.MatchOptions = MQMO_NONE;
    options.Options = MQGMO_WAIT | MQGMO_NO_SYNCPOINT | MQGMO_CONVERT | MQGMO_FAIL_IF_QUIESCING;
    options.WaitInterval = wait != NULL ? atoi(wait) : 15000;
    descriptor.Encoding = MQENC_NATIVE;
    descriptor.CodedCharSetId = 1208;
    MQGET(connection, object, &descriptor, &options, room, buffer, &length, &completion, &reason);
    if (reason == MQRC_NO_MSG_AVAILABLE)
      break;
    if (reason == MQRC_TRUNCATED_MSG_FAILED)
    {
      char *larger = realloc(buffer, (size_t)length);
      if (larger == NULL)
        break;
      buffer = larger;
      room = length;
      continue;
    }
    if (sample_failed("MQGET", completion, reason))
    {
      status = 1;
      break;
    }
    printf("message <%.*s>\n", (int)length, buffer);
  }
  free(buffer);
  sample_end(&connection, &object);
  return status;
}

/* amqsput QUEUE [QMGR]: puts each line of standard input as a message; an empty line ends it. */
#include "common.h"

int main(int count, char **arguments)
{
  MQHCONN connection;
  MQHOBJ object;
  MQLONG completion, reason;
  char line[65536];
  int status = 0;

  if (count < 2)
  {
    fprintf(stderr, "usage: amqsput QUEUE [QMGR]\n");
    return 2;
  }
  if (!sample_connect(count > 2 ? arguments[2] : "", &connection))
    return 1;
  if (!sample_open(connection, arguments[1], MQOO_OUTPUT, &object))
  {
    MQDISC(&connection, &completion, &reason);
    return 1;
  }
  while (fgets(line, sizeof(line), stdin) != NULL)
  {
    MQMD descriptor = {MQMD_DEFAULT};
    MQPMO options = {MQPMO_DEFAULT};
    size_t length = strcspn(line, "\r\n");

    if (length == 0)
      break;
    memcpy(descriptor.Format, MQFMT_STRING, MQ_FORMAT_LENGTH);
    options.Options = MQPMO_NO_SYNCPOINT | MQPMO_FAIL_IF_QUIESCING | MQPMO_NEW_MSG_ID | MQPMO_NEW_CORREL_ID;
    MQPUT(connection, object, &descriptor, &options, (MQLONG)length, line, &completion, &reason);
    if (sample_failed("MQPUT", completion, reason))
    {
      status = 1;
      break;
    }
  }
  sample_end(&connection, &object);
  return status;
}

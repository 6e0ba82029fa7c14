/* Distribution lists: one handle for several queues, with records of their own. */
#include "common.h"

struct put_record {
  MQBYTE24 MsgId;
  MQBYTE24 CorrelId;
};

static MQHCONN connection;

static void name(MQOR *record, const char *queue)
{
  memset(record, ' ', sizeof *record);
  memcpy(record->ObjectName, queue, strlen(queue));
}

static void responses(const MQRR *records, int count)
{
  int at;

  for (at = 0; at < count; at++)
    printf("  %d: %d %d\n", at, (int)records[at].CompCode, (int)records[at].Reason);
  fflush(stdout);
}

static void get(const char *queue)
{
  MQHOBJ object = open_named(connection, queue, MQOO_INPUT_SHARED);
  MQMD descriptor = {MQMD_DEFAULT};
  MQGMO options = {MQGMO_DEFAULT};
  char body[100];
  MQLONG length = 0;

  options.Options = MQGMO_NO_SYNCPOINT;
  MQGET(connection, object, &descriptor, &options, (MQLONG)sizeof body, body, &length, &completion, &reason);
  printf("%s %d %d <%.*s> correlation %.4s\n", queue, (int)completion, (int)reason, completion == MQCC_FAILED ? 0 : (int)length,
         body, (const char *)descriptor.CorrelId);
  MQCLOSE(connection, &object, MQCO_NONE, &completion, &reason);
}

static MQLONG put(MQHOBJ list, MQPMO *options, const char *text)
{
  MQMD descriptor = {MQMD_DEFAULT};

  MQPUT(connection, list, &descriptor, options, (MQLONG)strlen(text), (PMQVOID)text, &completion, &reason);
  printf("MQPUT %d %d known %d unknown %d invalid %d\n", (int)completion, (int)reason, (int)options->KnownDestCount,
         (int)options->UnknownDestCount, (int)options->InvalidDestCount);
  return completion;
}

int main(void)
{
  MQOD list = {MQOD_DEFAULT};
  MQOR queues[3];
  MQRR opened[3] = {{0, 0}, {0, 0}, {0, 0}}, sent[3] = {{0, 0}, {0, 0}, {0, 0}};
  struct put_record records[3];
  MQPMO options = {MQPMO_DEFAULT};
  MQMD descriptor = {MQMD_DEFAULT};
  MQHOBJ object = 77;

  connection = connect_as(MQCNO_NONE);
  list.Version = MQOD_VERSION_2;
  list.RecsPresent = -1;
  MQOPEN(connection, &list, MQOO_OUTPUT, &object, &completion, &reason);
  say("negative count");
  list.RecsPresent = 3;
  MQOPEN(connection, &list, MQOO_OUTPUT, &object, &completion, &reason);
  say("no records");
  name(&queues[0], "DEV.QUEUE.1");
  name(&queues[1], "DEV.QUEUE.2");
  name(&queues[2], "NO.SUCH.QUEUE");
  list.ObjectRecPtr = queues;
  list.ResponseRecPtr = opened;
  MQOPEN(connection, &list, MQOO_INPUT_SHARED, &object, &completion, &reason);
  say("to get from a list");
  list.RecsPresent = 2;
  MQOPEN(connection, &list, MQOO_OUTPUT | MQOO_FAIL_IF_QUIESCING, &object, &completion, &reason);
  printf("MQOPEN %d %d known %d invalid %d\n", (int)completion, (int)reason, (int)list.KnownDestCount, (int)list.InvalidDestCount);
  options.Options = MQPMO_NO_SYNCPOINT;
  put(object, &options, "to both");
  get("DEV.QUEUE.1");
  get("DEV.QUEUE.2");
  MQINQ(connection, object, 0, NULL, 0, NULL, 0, NULL, &completion, &reason);
  say("MQINQ of a list");
  MQCLOSE(connection, &object, MQCO_NONE, &completion, &reason);
  say("MQCLOSE");
  put(object, &options, "closed");

  list.RecsPresent = 3;
  MQOPEN(connection, &list, MQOO_OUTPUT, &object, &completion, &reason);
  printf("MQOPEN %d %d known %d invalid %d\n", (int)completion, (int)reason, (int)list.KnownDestCount, (int)list.InvalidDestCount);
  responses(opened, 3);
  memset(records, 0, sizeof records);
  memcpy(records[0].CorrelId, "one ", 4);
  memcpy(records[1].CorrelId, "two ", 4);
  options.Version = MQPMO_VERSION_2;
  options.Options = MQPMO_SYNCPOINT;
  options.RecsPresent = 3;
  options.PutMsgRecFields = MQPMRF_MSG_ID | MQPMRF_CORREL_ID;
  options.PutMsgRecPtr = records;
  options.ResponseRecPtr = sent;
  put(object, &options, "with records");
  responses(sent, 3);
  printf("identifiers %d %d %d\n", records[0].MsgId[0] == 'A', records[1].MsgId[0] == 'A',
         memcmp(records[0].MsgId, records[1].MsgId, sizeof(MQBYTE24)) != 0);
  get("DEV.QUEUE.1");
  MQCMIT(connection, &completion, &reason);
  say("MQCMIT");
  get("DEV.QUEUE.1");
  get("DEV.QUEUE.2");
  put(object, &options, "backed out");
  MQBACK(connection, &completion, &reason);
  say("MQBACK");
  get("DEV.QUEUE.2");
  options.PutMsgRecFields = 64;
  put(object, &options, "unknown field");
  options.PutMsgRecFields = MQPMRF_MSG_ID;
  options.PutMsgRecPtr = NULL;
  put(object, &options, "no records");
  MQCLOSE(connection, &object, MQCO_NONE, &completion, &reason);
  say("MQCLOSE");

  options.RecsPresent = 0;
  options.Options = MQPMO_NO_SYNCPOINT;
  memset(opened, 0, sizeof opened);
  MQPUT1(connection, &list, &descriptor, &options, 4, "once", &completion, &reason);
  say("MQPUT1");
  responses(opened, 3);
  get("DEV.QUEUE.1");
  get("DEV.QUEUE.2");
  name(&queues[0], "NO.SUCH.QUEUE");
  name(&queues[1], "NO.SUCH.QUEUE");
  MQOPEN(connection, &list, MQOO_OUTPUT, &object, &completion, &reason);
  say("none is there");
  printf("handle %d\n", (int)object);
  MQDISC(&connection, &completion, &reason);
  say("MQDISC");
  return 0;
}

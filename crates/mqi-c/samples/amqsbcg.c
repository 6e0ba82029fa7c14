/* amqsbcg QUEUE [QMGR]: browses the queue, and prints every descriptor field and the data as hexadecimal digits. */
#include "common.h"

static void hexadecimal(const char *name, const MQBYTE *bytes, size_t length)
{
  size_t at;
  printf("  %-18s: X'", name);
  for (at = 0; at < length; at++)
    printf("%02X", bytes[at]);
  printf("'\n");
}

#define NUMBER(field) printf("  %-18s: %d\n", #field, (int)descriptor->field)
#define TEXT(field) printf("  %-18s: '%.*s'\n", #field, (int)sizeof(descriptor->field), descriptor->field)
#define BYTES(field) hexadecimal(#field, descriptor->field, sizeof(descriptor->field))

static void show(const MQMD *descriptor)
{
  TEXT(StrucId); NUMBER(Version); NUMBER(Report); NUMBER(MsgType); NUMBER(Expiry); NUMBER(Feedback);
  NUMBER(Encoding); NUMBER(CodedCharSetId); TEXT(Format); NUMBER(Priority); NUMBER(Persistence);
  BYTES(MsgId); BYTES(CorrelId); NUMBER(BackoutCount); TEXT(ReplyToQ); TEXT(ReplyToQMgr); TEXT(UserIdentifier);
  BYTES(AccountingToken); TEXT(ApplIdentityData); NUMBER(PutApplType); TEXT(PutApplName); TEXT(PutDate); TEXT(PutTime);
  TEXT(ApplOriginData); BYTES(GroupId); NUMBER(MsgSeqNumber); NUMBER(Offset); NUMBER(MsgFlags); NUMBER(OriginalLength);
}

static void dump(const unsigned char *data, MQLONG length)
{
  MQLONG at, in;
  for (at = 0; at < length; at += 16)
  {
    printf("  %08X:", (unsigned)at);
    for (in = at; in < at + 16; in++)
    {
      if (in % 2 == 0)
        printf(" ");
      if (in < length)
        printf("%02X", data[in]);
      else
        printf("  ");
    }
    printf(" '");
    for (in = at; in < at + 16 && in < length; in++)
      printf("%c", data[in] >= ' ' && data[in] < 0x7F ? data[in] : '.');
    printf("'\n");
  }
}

int main(int count, char **arguments)
{
  MQHCONN connection;
  MQHOBJ object;
  MQLONG completion, reason, length, room = 65536, number = 0;
  unsigned char *buffer = malloc((size_t)room);
  int status = 0;

  if (count < 2 || buffer == NULL)
  {
    fprintf(stderr, "usage: amqsbcg QUEUE [QMGR]\n");
    return 2;
  }
  if (!sample_connect(count > 2 ? arguments[2] : "", &connection))
    return 1;
  if (!sample_open(connection, arguments[1], MQOO_BROWSE, &object))
  {
    MQDISC(&connection, &completion, &reason);
    return 1;
  }
  for (;;)
  {
    MQMD descriptor = {MQMD_DEFAULT};
    MQGMO options = {MQGMO_DEFAULT};

    descriptor.Version = MQMD_VERSION_2;
    options.Version = MQGMO_VERSION_2;
    options.MatchOptions = MQMO_NONE;
    options.Options = MQGMO_NO_WAIT | MQGMO_BROWSE_NEXT | MQGMO_ACCEPT_TRUNCATED_MSG | MQGMO_FAIL_IF_QUIESCING;
    MQGET(connection, object, &descriptor, &options, room, buffer, &length, &completion, &reason);
    if (reason == MQRC_NO_MSG_AVAILABLE)
      break;
    if (sample_failed("MQGET", completion, reason))
    {
      status = 1;
      break;
    }
    printf("message %d, %d bytes\n", (int)++number, (int)length);
    show(&descriptor);
    dump(buffer, length < room ? length : room);
  }
  printf("%d messages\n", (int)number);
  free(buffer);
  sample_end(&connection, &object);
  return status;
}

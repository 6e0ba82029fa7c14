/* Bags: every function of the MQAI, by itself, as messages, and against the command server. */
#include "common.h"
#include <cmqcfc.h>
#include <cmqbc.h>

static MQHBAG made(MQLONG options)
{
  MQHBAG bag = 77;

  mqCreateBag(options, &bag, &completion, &reason);
  return bag;
}

static void count(const char *what, MQHBAG bag, MQLONG selector)
{
  MQLONG items = -1;

  mqCountItems(bag, selector, &items, &completion, &reason);
  printf("%s %d %d items %d\n", what, (int)completion, (int)reason, (int)items);
}

static void integer(const char *what, MQHBAG bag, MQLONG selector, MQLONG index)
{
  MQLONG value = -77;

  mqInquireInteger(bag, selector, index, &value, &completion, &reason);
  printf("%s %d %d value %d\n", what, (int)completion, (int)reason, (int)value);
}

static void string(const char *what, MQHBAG bag, MQLONG selector, MQLONG index)
{
  char buffer[12];
  MQLONG length = -1, ccsid = -1;

  memset(buffer, '?', sizeof buffer);
  mqInquireString(bag, selector, index, (MQLONG)sizeof buffer, buffer, &length, &ccsid, &completion, &reason);
  printf("%s %d %d <%.12s> length %d ccsid %d\n", what, (int)completion, (int)reason, buffer, (int)length, (int)ccsid);
}

static void items(void)
{
  MQHBAG bag = made(MQCBO_USER_BAG), group = made(MQCBO_GROUP_BAG), checked = made(MQCBO_CHECK_SELECTORS);
  MQLONG value = 0, operator = 0, length = 0, selector = 0, type = 0, ccsid = 0;
  MQINT64 wide = 0;
  MQBYTE bytes[4] = {1, 2, 0, 4};
  char buffer[8];

  made(MQCBO_ADMIN_BAG | MQCBO_GROUP_BAG);
  say("two kinds of bag");
  count("new bag", bag, MQSEL_ALL_SYSTEM_SELECTORS);
  count("new group", group, MQSEL_ALL_SYSTEM_SELECTORS);
  mqAddInteger(bag, 10, 1, &completion, &reason);
  mqAddInteger(bag, 10, 2, &completion, &reason);
  say("mqAddInteger");
  mqAddString(bag, 10, 1, "x", &completion, &reason);
  say("another type");
  mqAddInteger(checked, MQCA_Q_NAME, 1, &completion, &reason);
  say("not of its range");
  mqAddInteger(bag, -5, 1, &completion, &reason);
  say("system selector");
  mqAddInteger64(bag, 11, 5000000000LL, &completion, &reason);
  mqAddString(bag, 12, MQBL_NULL_TERMINATED, "colour", &completion, &reason);
  mqAddByteString(bag, 13, 4, bytes, &completion, &reason);
  mqAddIntegerFilter(bag, 14, 3, MQCFOP_LESS, &completion, &reason);
  mqAddStringFilter(bag, 15, 2, "b*", MQCFOP_LIKE, &completion, &reason);
  mqAddByteStringFilter(bag, 16, 2, bytes, MQCFOP_EQUAL, &completion, &reason);
  say("mqAddByteStringFilter");
  mqAddInteger(group, 20, 7, &completion, &reason);
  mqAddBag(bag, 17, group, &completion, &reason);
  say("mqAddBag");
  mqAddBag(bag, 17, checked, &completion, &reason);
  say("no group");
  count("all", bag, MQSEL_ALL_USER_SELECTORS);
  mqSetInteger(bag, 10, 1, 22, &completion, &reason);
  integer("mqSetInteger", bag, 10, 1);
  mqSetInteger(bag, 10, MQIND_NONE, 1, &completion, &reason);
  say("which of two");
  mqSetInteger(bag, 10, MQIND_ALL, 9, &completion, &reason);
  integer("instead of all", bag, 10, MQIND_NONE);
  mqSetString(bag, 10, 0, 1, "x", &completion, &reason);
  say("wrong type");
  mqSetInteger64(bag, 11, MQIND_NONE, 6000000000LL, &completion, &reason);
  mqInquireInteger64(bag, 11, MQIND_NONE, &wide, &completion, &reason);
  printf("mqSetInteger64 %d %d value %lld\n", (int)completion, (int)reason, (long long)wide);
  mqSetString(bag, 12, MQIND_NONE, 5, "green", &completion, &reason);
  string("mqSetString", bag, 12, MQIND_NONE);
  mqSetByteString(bag, 13, 0, 2, bytes + 2, &completion, &reason);
  mqInquireByteString(bag, 13, 0, 2, (PMQBYTE)buffer, &length, &completion, &reason);
  printf("mqSetByteString %d %d %d %d\n", (int)completion, (int)reason, buffer[0], buffer[1]);
  mqSetIntegerFilter(bag, 14, 0, 4, MQCFOP_GREATER, &completion, &reason);
  mqInquireIntegerFilter(bag, 14, 0, &value, &operator, &completion, &reason);
  printf("mqSetIntegerFilter %d %d value %d operator %d\n", (int)completion, (int)reason, (int)value, (int)operator);
  mqSetStringFilter(bag, 15, 0, 3, "cd*", MQCFOP_NOT_LIKE, &completion, &reason);
  mqInquireStringFilter(bag, 15, 0, 4, buffer, &length, &ccsid, &operator, &completion, &reason);
  printf("mqSetStringFilter %d %d <%.4s> operator %d\n", (int)completion, (int)reason, buffer, (int)operator);
  mqSetByteStringFilter(bag, 16, 0, 1, bytes, MQCFOP_NOT_EQUAL, &completion, &reason);
  mqInquireByteStringFilter(bag, 16, 0, 8, (PMQBYTE)buffer, &length, &operator, &completion, &reason);
  printf("mqSetByteStringFilter %d %d length %d operator %d\n", (int)completion, (int)reason, (int)length, (int)operator);
  mqInquireBag(bag, 17, MQIND_NONE, &value, &completion, &reason);
  printf("mqInquireBag %d %d same %d\n", (int)completion, (int)reason, value == group);
  mqInquireItemInfo(bag, MQSEL_ANY_USER_SELECTOR, 2, &selector, &type, &completion, &reason);
  printf("mqInquireItemInfo %d %d selector %d type %d\n", (int)completion, (int)reason, (int)selector, (int)type);
  mqInquireString(bag, 12, MQIND_NONE, 3, buffer, &length, NULL, &completion, &reason);
  printf("short %d %d <%.3s> length %d\n", (int)completion, (int)reason, buffer, (int)length);
  mqSetInteger(bag, MQIASY_CODED_CHAR_SET_ID, MQIND_NONE, 37, &completion, &reason);
  say("character set of the bag");
  mqAddString(bag, 18, 2, "\xC1\xC2", &completion, &reason);
  mqInquireString(bag, 18, 0, 3, buffer, &length, &ccsid, &completion, &reason);
  printf("in EBCDIC %d %d %02X%02X%02X ccsid %d\n", (int)completion, (int)reason, buffer[0] & 255, buffer[1] & 255,
         buffer[2] & 255, (int)ccsid);
  mqSetInteger(bag, MQIASY_BAG_OPTIONS, MQIND_NONE, 1, &completion, &reason);
  say("options of the bag");
  mqDeleteItem(bag, MQIASY_REASON, MQIND_NONE, &completion, &reason);
  say("system item");
  mqDeleteItem(bag, 16, MQIND_ALL, &completion, &reason);
  say("mqDeleteItem");
  mqTruncateBag(bag, 2, &completion, &reason);
  count("mqTruncateBag", bag, MQSEL_ALL_USER_SELECTORS);
  mqTruncateBag(bag, 3, &completion, &reason);
  say("fewer");
  mqClearBag(bag, &completion, &reason);
  count("mqClearBag", bag, MQSEL_ALL_SELECTORS);
  integer("character set", bag, MQIASY_CODED_CHAR_SET_ID, MQIND_NONE);
  mqDeleteBag(&bag, &completion, &reason);
  printf("mqDeleteBag %d %d handle %d\n", (int)completion, (int)reason, (int)bag);
  count("the group", group, 20);
  mqDeleteBag(&bag, &completion, &reason);
  say("deleted twice");
}

static void strings(void)
{
  char wide[8], narrow[4], trimmed[9];

  mqPad("ab", 5, wide, &completion, &reason);
  printf("mqPad %d %d <%.5s>\n", (int)completion, (int)reason, wide);
  mqPad("abcdef", 4, narrow, &completion, &reason);
  printf("mqPad short %d %d <%.4s>\n", (int)completion, (int)reason, narrow);
  mqTrim(5, wide, trimmed, &completion, &reason);
  printf("mqTrim %d %d <%s>\n", (int)completion, (int)reason, trimmed);
}

static void messages(MQHCONN connection)
{
  MQHBAG bag = made(MQCBO_USER_BAG | MQCBO_LIST_FORM_ALLOWED), group = made(MQCBO_GROUP_BAG), back = made(MQCBO_USER_BAG);
  MQHOBJ queue = open_named(connection, "DEV.QUEUE.1", MQOO_OUTPUT | MQOO_INPUT_SHARED);
  MQMD descriptor = {MQMD_DEFAULT};
  MQPMO put = {MQPMO_DEFAULT};
  MQGMO get = {MQGMO_DEFAULT};
  char buffer[1024];
  MQLONG length = 0;
  MQCFH header;

  mqAddInteger(bag, 900, 1, &completion, &reason);
  mqAddInteger(bag, 900, 2, &completion, &reason);
  mqAddString(bag, 3000, MQBL_NULL_TERMINATED, "text", &completion, &reason);
  mqAddInteger(group, 901, 3, &completion, &reason);
  mqAddBag(bag, 8001, group, &completion, &reason);
  mqSetInteger(bag, MQIASY_COMMAND, MQIND_NONE, 4711, &completion, &reason);
  mqBagToBuffer(MQHB_NONE, bag, 10, buffer, &length, &completion, &reason);
  printf("mqBagToBuffer short %d %d needs %d\n", (int)completion, (int)reason, (int)length);
  mqBagToBuffer(MQHB_NONE, bag, sizeof buffer, buffer, &length, &completion, &reason);
  memcpy(&header, buffer, sizeof header);
  printf("mqBagToBuffer %d %d length %d type %d command %d parameters %d\n", (int)completion, (int)reason, (int)length,
         (int)header.Type, (int)header.Command, (int)header.ParameterCount);
  mqBufferToBag(MQHB_NONE, length, buffer, back, &completion, &reason);
  count("mqBufferToBag", back, MQSEL_ALL_USER_SELECTORS);
  integer("of a list", back, 900, 1);
  string("text", back, 3000, MQIND_NONE);
  mqBufferToBag(MQHB_NONE, 20, buffer, back, &completion, &reason);
  say("cut message");
  mqPutBag(connection, queue, &descriptor, &put, bag, &completion, &reason);
  say("without format");
  memcpy(descriptor.Format, MQFMT_PCF, MQ_FORMAT_LENGTH);
  put.Options = MQPMO_NO_SYNCPOINT;
  mqPutBag(connection, queue, &descriptor, &put, bag, &completion, &reason);
  say("mqPutBag");
  get.Options = MQGMO_NO_SYNCPOINT | MQGMO_CONVERT;
  mqGetBag(connection, queue, &descriptor, &get, back, &completion, &reason);
  say("mqGetBag");
  integer("command", back, MQIASY_COMMAND, MQIND_NONE);
  mqInquireBag(back, 8001, 0, &group, &completion, &reason);
  integer("in the group", group, 901, 0);
  mqAddInteger(group, 901, 4, &completion, &reason);
  say("bag of the system");
  mqGetBag(connection, queue, &descriptor, &get, back, &completion, &reason);
  say("none left");
  MQCLOSE(connection, &queue, MQCO_NONE, &completion, &reason);
}

static void command(const char *what, MQHCONN connection, MQHBAG options, MQHOBJ commands, MQHOBJ responses)
{
  MQHBAG asked = made(MQCBO_ADMIN_BAG), answers = made(MQCBO_ADMIN_BAG), answer = MQHB_UNUSABLE_HBAG;
  MQLONG found = 0;

  mqAddString(asked, MQCA_Q_NAME, MQBL_NULL_TERMINATED, "DEV.QUEUE.*", &completion, &reason);
  mqAddInquiry(asked, MQIA_MAX_Q_DEPTH, &completion, &reason);
  mqExecute(connection, MQCMD_INQUIRE_Q, options, asked, answers, commands, responses, &completion, &reason);
  printf("%s %d %d", what, (int)completion, (int)reason);
  mqCountItems(answers, MQHA_BAG_HANDLE, &found, &completion, &reason);
  printf(" responses %d\n", (int)found);
  mqInquireBag(answers, MQHA_BAG_HANDLE, 0, &answer, &completion, &reason);
  integer("MAXDEPTH", answer, MQIA_MAX_Q_DEPTH, MQIND_NONE);
  mqDeleteBag(&asked, &completion, &reason);
  mqDeleteBag(&answers, &completion, &reason);
  count("response of a deleted bag", answer, MQSEL_ALL_SELECTORS);
}

static void commands(MQHCONN connection)
{
  MQHBAG options = made(MQCBO_USER_BAG), asked = made(MQCBO_ADMIN_BAG), answers = made(MQCBO_ADMIN_BAG), answer;
  MQHOBJ commands = open_named(connection, "SYSTEM.ADMIN.COMMAND.QUEUE", MQOO_OUTPUT);
  MQHOBJ responses = open_named(connection, "SYSTEM.DEFAULT.MODEL.QUEUE", MQOO_INPUT_EXCLUSIVE);

  mqAddInteger(options, MQIACF_WAIT_INTERVAL, 20000, &completion, &reason);
  command("mqExecute", connection, MQHB_NONE, MQHO_NONE, MQHO_NONE);
  command("mqExecute on queues of the program", connection, options, commands, responses);
  mqAddString(asked, MQCA_Q_NAME, MQBL_NULL_TERMINATED, "NO.SUCH.QUEUE", &completion, &reason);
  mqExecute(connection, MQCMD_DELETE_Q, MQHB_NONE, asked, answers, MQHO_NONE, MQHO_NONE, &completion, &reason);
  say("refused command");
  mqInquireBag(answers, MQHA_BAG_HANDLE, 0, &answer, &completion, &reason);
  integer("reason", answer, MQIASY_REASON, MQIND_NONE);
  mqAddInquiry(asked, MQIA_MAX_Q_DEPTH, &completion, &reason);
  mqExecute(connection, MQCMD_DELETE_Q, MQHB_NONE, asked, answers, MQHO_NONE, MQHO_NONE, &completion, &reason);
  say("inquiry of a command that is none");
  mqAddInteger(options, 1, 1, &completion, &reason);
  mqExecute(connection, MQCMD_PING_Q_MGR, options, MQHB_NONE, answers, MQHO_NONE, MQHO_NONE, &completion, &reason);
  say("unknown option");
}

int main(void)
{
  MQHCONN connection = connect_as(MQCNO_NONE);

  say("MQCONNX");
  items();
  strings();
  messages(connection);
  commands(connection);
  MQDISC(&connection, &completion, &reason);
  say("MQDISC");
  return 0;
}

/* Properties of messages: set, put, got into a handle, inquired, deleted, moved between handle and buffer. */
#include "common.h"

static void charv(MQCHARV *text, const char *value)
{
  MQCHARV initial = {MQCHARV_DEFAULT};
  *text = initial;
  text->VSPtr = (MQPTR)value;
  text->VSLength = MQVS_NULL_TERMINATED;
}

static void set(MQHCONN connection, MQHMSG message, const char *name, MQLONG type, MQLONG length, const void *value)
{
  MQSMPO options = {MQSMPO_DEFAULT};
  MQPD description = {MQPD_DEFAULT};
  MQCHARV text;
  charv(&text, name);
  MQSETMP(connection, message, &options, &text, &description, type, length, (PMQVOID)value, &completion, &reason);
}

static void list(MQHCONN connection, MQHMSG message)
{
  MQCHARV every = {MQPROP_INQUIRE_ALL};
  MQIMPO options = {MQIMPO_DEFAULT};
  char name[64], value[64];
  options.ReturnedName.VSPtr = name;
  options.ReturnedName.VSBufSize = sizeof(name);
  options.Options = MQIMPO_INQ_FIRST | MQIMPO_CONVERT_TYPE;
  for (;;)
  {
    MQPD description = {MQPD_DEFAULT};
    MQLONG type = MQTYPE_STRING, length = 0;
    MQINQMP(connection, message, &options, &every, &description, &type, sizeof(value), value, &length, &completion, &reason);
    if (completion != MQCC_OK)
      break;
    printf("  %.*s=%.*s\n", (int)options.ReturnedName.VSLength, name, (int)length, value);
    options.Options = MQIMPO_INQ_NEXT | MQIMPO_CONVERT_TYPE;
  }
  say("end of list");
}

int main(void)
{
  MQHCONN connection = connect_as(MQCNO_NONE);
  MQHOBJ queue = open_named(connection, "DEV.QUEUE.3", MQOO_OUTPUT | MQOO_INPUT_SHARED);
  MQHMSG message = MQHM_NONE, got = MQHM_NONE;
  MQCMHO create = {MQCMHO_DEFAULT};
  MQDMHO delete_handle = {MQDMHO_DEFAULT};
  MQDMPO delete_property = {MQDMPO_DEFAULT};
  MQIMPO inquire = {MQIMPO_DEFAULT};
  MQPD description = {MQPD_DEFAULT};
  MQMD descriptor = {MQMD_DEFAULT};
  MQPMO put = {MQPMO_DEFAULT};
  MQGMO get = {MQGMO_DEFAULT};
  MQMHBO to_buffer = {MQMHBO_DEFAULT};
  MQBMHO from_buffer = {MQBMHO_DEFAULT};
  MQCHARV name;
  MQLONG number = 42, length = 0, type = MQTYPE_AS_SET, small;
  char body[64] = "", buffer[512] = "";

  MQCRTMH(connection, &create, &message, &completion, &reason);
  say("MQCRTMH");
  set(connection, message, "colour", MQTYPE_STRING, 4, "blue");
  set(connection, message, "size", MQTYPE_INT32, 4, &number);
  say("MQSETMP");
  set(connection, message, "a name", MQTYPE_INT32, 4, &number);
  say("wrong name");
  set(connection, message, "size", MQTYPE_INT32, 3, &number);
  say("wrong length");
  set(connection, message, "size", 999, 4, &number);
  say("wrong type");
  memcpy(descriptor.Format, MQFMT_STRING, 8);
  put.Version = MQPMO_VERSION_3;
  put.OriginalMsgHandle = message;
  MQPUT(connection, queue, &descriptor, &put, 4, "body", &completion, &reason);
  say("MQPUT");
  printf("format %.8s\n", descriptor.Format);
  MQDLTMH(connection, &message, &delete_handle, &completion, &reason);
  say("MQDLTMH");
  MQCRTMH(connection, &create, &got, &completion, &reason);
  get.Version = MQGMO_VERSION_4;
  get.Options = MQGMO_NO_SYNCPOINT | MQGMO_PROPERTIES_IN_HANDLE;
  get.MsgHandle = got;
  memset(descriptor.MsgId, 0, sizeof(descriptor.MsgId));
  /* The body does not fit, and stays. */
  MQGET(connection, queue, &descriptor, &get, 3, body, &length, &completion, &reason);
  say("MQGET short");
  printf("length %d\n", (int)length);
  /* The body fits, and the body with its properties does not. */
  memset(descriptor.MsgId, 0, sizeof(descriptor.MsgId));
  MQGET(connection, queue, &descriptor, &get, 4, body, &length, &completion, &reason);
  say("MQGET");
  printf("body %.*s format %.8s\n", (int)length, body, descriptor.Format);
  list(connection, got);
  charv(&name, "size");
  small = 1;
  MQINQMP(connection, got, &inquire, &name, &description, &type, small, body, &length, &completion, &reason);
  say("MQINQMP short");
  MQINQMP(connection, got, &inquire, &name, &description, &type, sizeof(number), &number, &length, &completion, &reason);
  say("MQINQMP");
  printf("type %d value %d\n", (int)type, (int)number);
  charv(&name, "%");
  to_buffer.Options |= MQMHBO_DELETE_PROPERTIES;
  MQMHBUF(connection, got, &to_buffer, &name, &descriptor, sizeof(buffer), buffer, &length, &completion, &reason);
  say("MQMHBUF");
  list(connection, got);
  MQBUFMH(connection, got, &from_buffer, &descriptor, length, buffer, &length, &completion, &reason);
  say("MQBUFMH");
  printf("left %d format %.8s\n", (int)length, descriptor.Format);
  charv(&name, "colour");
  MQDLTMP(connection, got, &delete_property, &name, &completion, &reason);
  say("MQDLTMP");
  list(connection, got);
  MQDLTMH(connection, &message, &delete_handle, &completion, &reason);
  say("deleted twice");
  MQDISC(&connection, &completion, &reason);
  return 0;
}

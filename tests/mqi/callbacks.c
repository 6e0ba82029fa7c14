/* Callbacks: messages come to a function, which commits; another thread is kept out; the function ends it. */
#include "common.h"

static int calls, messages;
static MQHCONN connection;

static void MQENTRY consumer(MQHCONN hConn, PMQVOID pMsgDesc, PMQVOID pGetMsgOpts, PMQVOID pBuffer, PMQCBC pContext)
{
  PMQMD descriptor = pMsgDesc;
  (void)pGetMsgOpts;
  __atomic_add_fetch(&calls, 1, __ATOMIC_SEQ_CST);
  if (pContext->CallType != MQCBCT_MSG_REMOVED)
  {
    printf("call type %d reason %d area %s\n", (int)pContext->CallType, (int)pContext->Reason, (char *)pContext->CallbackArea);
    return;
  }
  printf("message %.*s version %d areas %s %s\n", (int)pContext->DataLength, (char *)pBuffer, (int)descriptor->Version,
         (char *)pContext->CallbackArea, (char *)pContext->ConnectionArea);
  MQCMIT(hConn, &completion, &reason);
  say("commit within");
  __atomic_add_fetch(&messages, 1, __ATOMIC_SEQ_CST);
}

static void wait_for(int *counter, int least)
{
  int tries;
  for (tries = 0; tries < 2000 && __atomic_load_n(counter, __ATOMIC_SEQ_CST) < least; tries++)
    usleep(5000);
}

static void put(MQHCONN other, const char *text)
{
  MQOD queue = {MQOD_DEFAULT};
  MQMD descriptor = {MQMD_DEFAULT};
  MQPMO options = {MQPMO_DEFAULT};
  memcpy(queue.ObjectName, "DEV.QUEUE.2", 11);
  MQPUT1(other, &queue, &descriptor, &options, (MQLONG)strlen(text), (PMQVOID)text, &completion, &reason);
}

int main(void)
{
  MQHCONN other;
  MQHOBJ queue;
  MQCBD description = {MQCBD_DEFAULT};
  MQCTLO control = {MQCTLO_DEFAULT};
  MQMD descriptor = {MQMD_DEFAULT};
  MQGMO options = {MQGMO_DEFAULT};

  setvbuf(stdout, NULL, _IOLBF, 0);
  other = connect_as(MQCNO_HANDLE_SHARE_BLOCK);
  connection = connect_as(MQCNO_HANDLE_SHARE_BLOCK);
  queue = open_named(connection, "DEV.QUEUE.2", MQOO_INPUT_SHARED);
  control.ConnectionArea = "connection";
  MQCTL(connection, MQOP_START, &control, &completion, &reason);
  say("start without callbacks");
  options.Options = MQGMO_SYNCPOINT | MQGMO_WAIT;
  options.WaitInterval = MQWI_UNLIMITED;
  description.CallbackArea = "consumer";
  MQCB(connection, MQOP_REGISTER, &description, queue, &descriptor, &options, &completion, &reason);
  say("without function");
  description.CallbackFunction = (MQPTR)consumer;
  description.Options = MQCBDO_START_CALL | MQCBDO_STOP_CALL;
  MQCB(connection, MQOP_REGISTER, &description, queue, &descriptor, &options, &completion, &reason);
  say("MQCB");
  MQCTL(connection, MQOP_START, &control, &completion, &reason);
  wait_for(&calls, 1);
  say("MQCTL start");
  put(other, "one");
  put(other, "two");
  wait_for(&messages, 2);
  MQCMIT(connection, &completion, &reason);
  say("another thread");
  MQCTL(connection, MQOP_SUSPEND, &control, &completion, &reason);
  say("MQCTL suspend");
  MQCMIT(connection, &completion, &reason);
  say("while suspended");
  put(other, "three");
  MQCTL(connection, MQOP_RESUME, &control, &completion, &reason);
  wait_for(&messages, 3);
  say("MQCTL resume");
  MQCTL(connection, MQOP_STOP, &control, &completion, &reason);
  say("MQCTL stop");
  MQCB(connection, MQOP_DEREGISTER, &description, queue, &descriptor, &options, &completion, &reason);
  say("MQCB deregister");
  /* A consumer that waits for a while learns that there is nothing. */
  description.Options = MQCBDO_NONE;
  options.WaitInterval = 50;
  calls = 0;
  MQCB(connection, MQOP_REGISTER, &description, queue, &descriptor, &options, &completion, &reason);
  MQCTL(connection, MQOP_START, &control, &completion, &reason);
  wait_for(&calls, 1);
  MQDISC(&connection, &completion, &reason);
  say("MQDISC while started");
  MQDISC(&other, &completion, &reason);
  return 0;
}

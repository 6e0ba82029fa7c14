/* The event handler of a connection that is made again: within a call, given up by the handler, and while messages are delivered.
   `ready` asks for the queue manager to be ended and started; a line says that it is there again. */
#include "common.h"

static int gives_up, is_quiet, reconnecting, reconnected, delivered;

static void MQENTRY events(MQHCONN hConn, PMQVOID pMsgDesc, PMQVOID pGetMsgOpts, PMQVOID pBuffer, PMQCBC pContext)
{
  (void)pMsgDesc, (void)pGetMsgOpts, (void)pBuffer;
  if (pContext->Reason == MQRC_RECONNECTING)
    __atomic_add_fetch(&reconnecting, 1, __ATOMIC_SEQ_CST);
  if (pContext->Reason == MQRC_RECONNECTED)
    __atomic_add_fetch(&reconnected, 1, __ATOMIC_SEQ_CST);
  if (is_quiet)
    return;
  printf("event %d completion %d delay %d area %s\n", (int)pContext->Reason, (int)pContext->CompCode,
         (int)pContext->ReconnectDelay, (char *)pContext->CallbackArea);
  MQCMIT(hConn, &completion, &reason);
  say("call within");
  if (pContext->Reason == MQRC_RECONNECTING)
    pContext->ReconnectDelay = gives_up ? MQRD_NO_RECONNECT : MQRD_NO_DELAY;
}

static void MQENTRY consumer(MQHCONN hConn, PMQVOID pMsgDesc, PMQVOID pGetMsgOpts, PMQVOID pBuffer, PMQCBC pContext)
{
  (void)hConn, (void)pMsgDesc, (void)pGetMsgOpts, (void)pBuffer;
  if (pContext->CallType == MQCBCT_MSG_REMOVED)
    __atomic_add_fetch(&delivered, 1, __ATOMIC_SEQ_CST);
}

static void wait_for(int *counter)
{
  int tries;

  for (tries = 0; tries < 6000 && __atomic_load_n(counter, __ATOMIC_SEQ_CST) == 0; tries++)
    usleep(5000);
}

static void await_restart(void)
{
  char line[10];

  printf("ready\n");
  fflush(stdout);
  if (fgets(line, sizeof line, stdin) == NULL)
    exit(1);
}

static void handle_events(MQHCONN connection)
{
  MQCBD description = {MQCBD_DEFAULT};

  description.CallbackType = MQCBT_EVENT_HANDLER;
  description.CallbackFunction = (MQPTR)events;
  description.CallbackArea = "events";
  MQCB(connection, MQOP_REGISTER, &description, MQHO_NONE, NULL, NULL, &completion, &reason);
  say("MQCB");
}

static void deliver(MQHOBJ sending, MQHCONN sender)
{
  MQMD descriptor = {MQMD_DEFAULT};
  MQPMO options = {MQPMO_DEFAULT};

  options.Options = MQPMO_NO_SYNCPOINT;
  MQPUT(sender, sending, &descriptor, &options, 4, "call", &completion, &reason);
  say("MQPUT");
}

int main(void)
{
  MQHCONN connection = connect_as(MQCNO_HANDLE_SHARE_BLOCK | MQCNO_RECONNECT), sender;
  MQHOBJ queue = open_named(connection, "DEV.QUEUE.2", MQOO_INPUT_SHARED | MQOO_INQUIRE), sending;
  MQLONG selector = MQIA_MAX_Q_DEPTH, depth = -1;
  MQCBD description = {MQCBD_DEFAULT};
  MQCTLO control = {MQCTLO_DEFAULT};
  MQMD descriptor = {MQMD_DEFAULT};
  MQGMO options = {MQGMO_DEFAULT};

  handle_events(connection);
  await_restart();
  MQINQ(connection, queue, 1, &selector, 1, &depth, 0, NULL, &completion, &reason);
  say("MQINQ");
  is_quiet = 1;
  reconnecting = reconnected = 0;
  options.Options = MQGMO_NO_SYNCPOINT | MQGMO_WAIT;
  options.WaitInterval = MQWI_UNLIMITED;
  description.CallbackFunction = (MQPTR)consumer;
  MQCB(connection, MQOP_REGISTER, &description, queue, &descriptor, &options, &completion, &reason);
  MQCTL(connection, MQOP_START, &control, &completion, &reason);
  say("MQCTL");
  await_restart();
  wait_for(&reconnected);
  printf("told of reconnecting %d\n", __atomic_load_n(&reconnecting, __ATOMIC_SEQ_CST) > 0);
  sender = connect_as(MQCNO_HANDLE_SHARE_BLOCK);
  sending = open_named(sender, "DEV.QUEUE.2", MQOO_OUTPUT);
  deliver(sending, sender);
  wait_for(&delivered);
  printf("delivered %d\n", delivered);
  MQDISC(&sender, &completion, &reason);
  MQCTL(connection, MQOP_STOP, &control, &completion, &reason);
  MQCB(connection, MQOP_DEREGISTER, &description, queue, NULL, NULL, &completion, &reason);
  say("MQCB");
  is_quiet = 0;
  gives_up = 1;
  await_restart();
  MQINQ(connection, queue, 1, &selector, 1, &depth, 0, NULL, &completion, &reason);
  say("MQINQ");
  return 0;
}

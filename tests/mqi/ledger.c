/* Puts numbered messages, and gets them, by threads whose connections are cut again and again; judges at the end.
   `ledger WAY MESSAGES`: by `reconnect` the library makes lost connections again, by `again` the program connects anew, by `callback` a
   function gets, and the library reconnects. The line `drain` says that all is put and nothing comes any more. A line on standard
   input says that nothing is cut from now on.

   Held: a message whose put was answered comes once, unless a get that may have taken it was not answered. Nothing comes twice, and
   nothing comes whose unit of work was backed out. */
#include <pthread.h>
#include "common.h"

enum { MOST = 100 * 1000, BODY = 20, LARGE = 200 * 1000 };
enum fate { BACKED_OUT, ANSWERED, UNCERTAIN };

struct session
{
  MQHCONN connection;
  MQHOBJ queue;
  MQLONG opened_for;
};

static enum fate put_as[MOST];
/* Gets that were answered, and whether a unit of work with a get of it ended without an answer. */
static int got[MOST], may_be_gone[MOST];
/* Gets outside syncpoint without an answer: each explains one missing message. */
static int unanswered_gets;
static int messages, reconnects, calls_back, all_are_put, delivered;

static void wrong(const char *what)
{
  fprintf(stderr, "%s ended with %d %d\n", what, (int)completion, (int)reason);
  exit(1);
}

/* Reasons of a connection that is not made because it was cut meanwhile. */
static int is_refused_by_cut(void)
{
  return reason == MQRC_CONNECTION_BROKEN || reason == MQRC_Q_MGR_NOT_AVAILABLE || reason == MQRC_HOST_NOT_AVAILABLE
    || reason == MQRC_SSL_INITIALIZATION_ERROR || reason == MQRC_JSSE_ERROR;
}

static void connect_session(struct session *session)
{
  for (;;)
  {
    session->connection = connect_as(MQCNO_HANDLE_SHARE_BLOCK | (reconnects ? MQCNO_RECONNECT : MQCNO_RECONNECT_DISABLED));
    if (completion != MQCC_FAILED)
    {
      session->queue = open_named(session->connection, "DEV.QUEUE.1", session->opened_for);
      if (completion != MQCC_FAILED)
        return;
      if (reason != MQRC_CONNECTION_BROKEN)
        wrong("MQOPEN");
      MQDISC(&session->connection, &completion, &reason);
    }
    else if (!is_refused_by_cut())
      wrong("MQCONNX");
    usleep(10 * 1000);
  }
}

static struct session opened(MQLONG options)
{
  struct session session = {MQHC_UNUSABLE_HCONN, MQHO_UNUSABLE_HOBJ, options};
  connect_session(&session);
  return session;
}

/* Whether the last call was lost with its connection, and then what became of its effect. */
static int is_lost(struct session *session, const char *what, enum fate *effect)
{
  if (completion != MQCC_FAILED)
    return 0;
  if (reconnects && (reason == MQRC_BACKED_OUT || reason == MQRC_CALL_INTERRUPTED))
  {
    *effect = reason == MQRC_BACKED_OUT ? BACKED_OUT : UNCERTAIN;
    /* The program takes note. */
    MQBACK(session->connection, &completion, &reason);
    if (completion == MQCC_FAILED && reason != MQRC_BACKED_OUT)
      wrong("MQBACK");
  }
  else if (!reconnects && reason == MQRC_CONNECTION_BROKEN)
  {
    *effect = UNCERTAIN;
    MQDISC(&session->connection, &completion, &reason);
    connect_session(session);
  }
  else
    wrong(what);
  return 1;
}

/* How a put ended; `effect` is set when it was lost. */
static int put(struct session *session, int number, MQLONG syncpoint, enum fate *effect)
{
  MQMD descriptor = {MQMD_DEFAULT};
  MQPMO options = {MQPMO_DEFAULT};
  /* Behind the number lie blanks. Every eighth message is so long that it can be cut in the middle. */
  static char body[LARGE];
  int digits = snprintf(body, BODY, "%-19d", number);

  memset(body + digits, ' ', sizeof body - (size_t)digits);
  descriptor.Persistence = MQPER_PERSISTENT;
  options.Options = syncpoint | MQPMO_NEW_MSG_ID;
  MQPUT(session->connection, session->queue, &descriptor, &options, number % 8 == 0 ? LARGE : digits, body, &completion, &reason);
  return is_lost(session, "MQPUT", effect);
}

/* In turn one message alone, and two in a unit of work. */
static void *putting(void *unused)
{
  struct session session = opened(MQOO_OUTPUT);
  int number;

  (void)unused;
  for (number = 0; number < messages; number += 3)
  {
    enum fate effect = ANSWERED;
    put(&session, number, MQPMO_NO_SYNCPOINT, &effect);
    put_as[number] = effect;

    effect = ANSWERED;
    if (put(&session, number + 1, MQPMO_SYNCPOINT, &effect) || put(&session, number + 2, MQPMO_SYNCPOINT, &effect))
      effect = BACKED_OUT; /* it is never committed */
    else
    {
      MQCMIT(session.connection, &completion, &reason);
      is_lost(&session, "MQCMIT", &effect);
    }
    put_as[number + 1] = put_as[number + 2] = effect;
  }
  MQDISC(&session.connection, &completion, &reason);
  __atomic_store_n(&all_are_put, 1, __ATOMIC_SEQ_CST);
  return NULL;
}

static int number_of(const char *body, MQLONG length)
{
  char text[BODY] = "";
  int number;

  memcpy(text, body, length < BODY ? (size_t)length : BODY - 1);
  number = atoi(text);
  if (number < 0 || number >= messages)
    wrong("the number of a message");
  return number;
}

/* How a unit of work with one get ended. */
static void count(int number, enum fate effect)
{
  if (effect == ANSWERED)
    got[number]++;
  else if (effect == UNCERTAIN)
    may_be_gone[number] = 1;
}

/* One message within this time; whether one came, or was lost on its way. */
static int get(struct session *session, MQLONG syncpoint, MQLONG interval)
{
  MQMD descriptor = {MQMD_DEFAULT};
  MQGMO options = {MQGMO_DEFAULT};
  enum fate effect = ANSWERED;
  char body[BODY];
  MQLONG length = 0;
  int number;

  options.Options = syncpoint | MQGMO_WAIT | MQGMO_ACCEPT_TRUNCATED_MSG;
  options.WaitInterval = interval;
  MQGET(session->connection, session->queue, &descriptor, &options, BODY, body, &length, &completion, &reason);
  if (completion == MQCC_FAILED && reason == MQRC_NO_MSG_AVAILABLE)
    return 0;
  if (is_lost(session, "MQGET", &effect))
  {
    unanswered_gets += syncpoint == MQGMO_NO_SYNCPOINT && effect == UNCERTAIN;
    return 1;
  }
  number = number_of(body, length);
  if (syncpoint == MQGMO_SYNCPOINT)
  {
    MQCMIT(session->connection, &completion, &reason);
    is_lost(session, "MQCMIT", &effect);
  }
  count(number, effect);
  return 1;
}

static void MQENTRY consumer(MQHCONN hConn, PMQVOID pMsgDesc, PMQVOID pGetMsgOpts, PMQVOID pBuffer, PMQCBC pContext)
{
  struct session *session = pContext->CallbackArea;
  enum fate effect = ANSWERED;
  int number;

  (void)pMsgDesc, (void)pGetMsgOpts;
  if (pContext->CallType != MQCBCT_MSG_REMOVED)
    return;
  number = number_of(pBuffer, pContext->DataLength);
  MQCMIT(hConn, &completion, &reason);
  is_lost(session, "MQCMIT of a function", &effect);
  count(number, effect);
  __atomic_add_fetch(&delivered, 1, __ATOMIC_SEQ_CST);
}

static void get_by_function(struct session *session)
{
  MQCBD description = {MQCBD_DEFAULT};
  MQCTLO control = {MQCTLO_DEFAULT};
  MQMD descriptor = {MQMD_DEFAULT};
  MQGMO options = {MQGMO_DEFAULT};
  int before = -1;

  description.CallbackFunction = (MQPTR)consumer;
  description.CallbackArea = session;
  options.Options = MQGMO_SYNCPOINT | MQGMO_WAIT;
  options.WaitInterval = MQWI_UNLIMITED;
  MQCB(session->connection, MQOP_REGISTER, &description, session->queue, &descriptor, &options, &completion, &reason);
  if (completion == MQCC_FAILED)
    wrong("MQCB");
  MQCTL(session->connection, MQOP_START, &control, &completion, &reason);
  if (completion == MQCC_FAILED)
    wrong("MQCTL");
  while (!__atomic_load_n(&all_are_put, __ATOMIC_SEQ_CST) || before != __atomic_load_n(&delivered, __ATOMIC_SEQ_CST))
  {
    before = __atomic_load_n(&delivered, __ATOMIC_SEQ_CST);
    usleep(300 * 1000);
  }
  MQCTL(session->connection, MQOP_STOP, &control, &completion, &reason);
}

static void *getting(void *unused)
{
  struct session session = opened(MQOO_INPUT_SHARED);
  int gets = 0, is_last = 0;

  (void)unused;
  if (calls_back)
    get_by_function(&session);
  else
    while (!is_last)
    {
      int are_put = __atomic_load_n(&all_are_put, __ATOMIC_SEQ_CST);
      /* The library repeats a get outside syncpoint without a word: what the first one took is gone. */
      MQLONG syncpoint = !reconnects && gets++ % 4 == 3 ? MQGMO_NO_SYNCPOINT : MQGMO_SYNCPOINT;
      is_last = !get(&session, syncpoint, 100) && are_put;
    }
  MQDISC(&session.connection, &completion, &reason);
  return NULL;
}

/* Whether another connection has the queue open for input: what a cut one had got may come back. */
static int others_get(struct session *session)
{
  MQLONG selector = MQIA_OPEN_INPUT_COUNT, handles = 0;

  MQINQ(session->connection, session->queue, 1, &selector, 1, &handles, 0, NULL, &completion, &reason);
  if (completion == MQCC_FAILED)
    wrong("MQINQ");
  return handles > 1;
}

static void drain(void)
{
  struct session session = opened(MQOO_INPUT_SHARED | MQOO_INQUIRE);
  int tries;

  for (tries = 0; others_get(&session) && tries < 600; tries++)
    usleep(100 * 1000);
  while (get(&session, MQGMO_NO_SYNCPOINT, 0))
    ;
  MQDISC(&session.connection, &completion, &reason);
}

static int judge(void)
{
  int number, answered = 0, uncertain = 0, missing = 0, twice = 0, not_put = 0;

  for (number = 0; number < messages; number++)
  {
    answered += put_as[number] == ANSWERED;
    uncertain += put_as[number] == UNCERTAIN;
    missing += put_as[number] == ANSWERED && got[number] == 0 && !may_be_gone[number];
    twice += got[number] > 1;
    not_put += put_as[number] == BACKED_OUT && (got[number] > 0 || may_be_gone[number]);
  }
  printf("%d of %d puts answered, %d uncertain; missing %d, explained %d; twice %d; backed out and there %d\n", answered, messages,
         uncertain, missing, unanswered_gets, twice, not_put);
  return missing <= unanswered_gets && twice == 0 && not_put == 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
  pthread_t putter, getter;
  char line[10];

  if (argc != 3)
    return 2;
  reconnects = strcmp(argv[1], "again") != 0;
  calls_back = strcmp(argv[1], "callback") == 0;
  messages = atoi(argv[2]) / 3 * 3;
  if (messages > MOST)
    return 2;
  pthread_create(&putter, NULL, putting, NULL);
  pthread_create(&getter, NULL, getting, NULL);
  pthread_join(putter, NULL);
  pthread_join(getter, NULL);
  puts("drain");
  fflush(stdout);
  if (fgets(line, sizeof line, stdin) == NULL)
    return 2;
  drain();
  return judge();
}

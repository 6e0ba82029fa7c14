/* Threads, callbacks, forks and waits that are cancelled, over and over: `stress ROUNDS`. What goes wrong ends it with a line.
   It runs under checkers of memory, so each part ends with everything given back. */
#include <pthread.h>
#include <sys/wait.h>
#include "common.h"

enum { THREADS = 4, MESSAGES = 5, LARGE = 100 * 1000 };

static int rounds;

static void wrong(const char *what)
{
  fprintf(stderr, "%s ended with %d %d\n", what, (int)completion, (int)reason);
  exit(1);
}

static void well(const char *what)
{
  if (completion != MQCC_OK)
    wrong(what);
}

static MQHCONN connected(MQLONG sharing)
{
  MQHCONN connection = connect_as(sharing);
  well("MQCONNX");
  return connection;
}

static MQHOBJ opened(MQHCONN connection, const char *queue)
{
  MQHOBJ object = open_named(connection, queue, MQOO_INPUT_SHARED | MQOO_OUTPUT | MQOO_INQUIRE);
  well("MQOPEN");
  return object;
}

static void put(MQHCONN connection, MQHOBJ queue, MQMD *descriptor, MQHMSG properties, MQLONG options, MQLONG length, char *body)
{
  MQPMO how = {MQPMO_DEFAULT};

  how.Version = MQPMO_VERSION_3;
  how.Options = options | MQPMO_NEW_MSG_ID;
  how.OriginalMsgHandle = properties;
  MQPUT(connection, queue, descriptor, &how, length, body, &completion, &reason);
  well("MQPUT");
}

/* Gets the message of this correlation identifier, into a handle and a buffer that may be too short at first. */
static void get_own(MQHCONN connection, MQHOBJ queue, const MQMD *sent, MQHMSG properties, MQLONG length, char *body)
{
  MQMD descriptor = {MQMD_DEFAULT};
  MQGMO how = {MQGMO_DEFAULT};
  MQLONG got = -1;

  how.Version = MQGMO_VERSION_4;
  how.Options = MQGMO_SYNCPOINT | MQGMO_PROPERTIES_IN_HANDLE | MQGMO_WAIT;
  how.WaitInterval = 60 * 1000;
  how.MatchOptions = MQMO_MATCH_CORREL_ID;
  how.MsgHandle = properties;
  memcpy(descriptor.CorrelId, sent->CorrelId, sizeof descriptor.CorrelId);
  MQGET(connection, queue, &descriptor, &how, 1, body, &got, &completion, &reason);
  if (reason != MQRC_TRUNCATED_MSG_FAILED || got != length)
    wrong("MQGET into one byte");
  memset(descriptor.MsgId, 0, sizeof descriptor.MsgId);
  MQGET(connection, queue, &descriptor, &how, length, body, &got, &completion, &reason);
  if (got != length)
    wrong("MQGET");
  well("MQGET");
}

/* A connection of one thread: properties, messages of several sizes, units of work. */
static void *worker(void *number)
{
  int own = (int)(size_t)number, round, at;
  char *body = malloc(LARGE), *buffer = malloc(LARGE);

  for (round = 0; round < rounds; round++)
  {
    MQHCONN connection = connected(MQCNO_HANDLE_SHARE_NONE);
    MQHOBJ queue = opened(connection, "DEV.QUEUE.1");
    MQHMSG properties = MQHM_NONE, got = MQHM_NONE;
    MQCMHO create = {MQCMHO_DEFAULT};
    MQDMHO give_back = {MQDMHO_DEFAULT};
    MQSMPO set = {MQSMPO_DEFAULT};
    MQPD about = {MQPD_DEFAULT};
    MQCHARV name = {MQCHARV_DEFAULT};
    MQLONG selectors[2] = {MQIA_CURRENT_Q_DEPTH, MQCA_Q_NAME}, depth = -1;
    char queue_name[MQ_Q_NAME_LENGTH];

    MQCRTMH(connection, &create, &properties, &completion, &reason);
    well("MQCRTMH");
    MQCRTMH(connection, &create, &got, &completion, &reason);
    well("MQCRTMH");
    name.VSPtr = "worker";
    name.VSLength = MQVS_NULL_TERMINATED;
    MQSETMP(connection, properties, &set, &name, &about, MQTYPE_INT32, (MQLONG)sizeof own, &own, &completion, &reason);
    well("MQSETMP");
    for (at = 0; at < MESSAGES; at++)
    {
      MQMD descriptor = {MQMD_DEFAULT};
      MQLONG length = at == 0 ? LARGE : 10 + at;
      MQIMPO inquire = {MQIMPO_DEFAULT};
      MQLONG type = MQTYPE_INT32, value = -1, value_length = 0;

      memset(body, 'a' + own, (size_t)length);
      descriptor.CorrelId[0] = (MQBYTE)(own + 1);
      put(connection, queue, &descriptor, properties, MQPMO_SYNCPOINT, length, body);
      MQCMIT(connection, &completion, &reason);
      well("MQCMIT");
      get_own(connection, queue, &descriptor, got, length, buffer);
      MQBACK(connection, &completion, &reason);
      well("MQBACK");
      get_own(connection, queue, &descriptor, got, length, buffer);
      MQCMIT(connection, &completion, &reason);
      well("MQCMIT");
      MQINQMP(connection, got, &inquire, &name, &about, &type, (MQLONG)sizeof value, &value, &value_length, &completion, &reason);
      well("MQINQMP");
      if (value != own || memcmp(body, buffer, (size_t)length) != 0)
        wrong("a message of another thread");
    }
    MQINQ(connection, queue, 2, selectors, 1, &depth, (MQLONG)sizeof queue_name, queue_name, &completion, &reason);
    well("MQINQ");
    MQDLTMH(connection, &properties, &give_back, &completion, &reason);
    MQDLTMH(connection, &got, &give_back, &completion, &reason);
    well("MQDLTMH");
    /* Every other connection ends with its object open. */
    if (round % 2 == 0)
      MQCLOSE(connection, &queue, MQCO_NONE, &completion, &reason);
    MQDISC(&connection, &completion, &reason);
    well("MQDISC");
  }
  free(body);
  free(buffer);
  return NULL;
}

static int delivered;

static void MQENTRY consumer(MQHCONN connection, PMQVOID descriptor, PMQVOID options, PMQVOID buffer, PMQCBC context)
{
  (void)descriptor, (void)options;
  if (context->CallType != MQCBCT_MSG_REMOVED)
    return;
  if (context->DataLength != 4 || memcmp(buffer, "call", 4) != 0)
    wrong("a callback with another message");
  MQCMIT(connection, &completion, &reason);
  well("MQCMIT of a callback");
  __atomic_add_fetch(&delivered, 1, __ATOMIC_SEQ_CST);
}

static void MQENTRY events(MQHCONN connection, PMQVOID descriptor, PMQVOID options, PMQVOID buffer, PMQCBC context)
{
  (void)connection, (void)descriptor, (void)options, (void)buffer;
  fprintf(stderr, "event %d\n", (int)context->Reason);
  exit(1);
}

static void control(MQHCONN connection, MQLONG operation, const char *what)
{
  MQCTLO options = {MQCTLO_DEFAULT};

  MQCTL(connection, operation, &options, &completion, &reason);
  well(what);
}

static void call(MQHCONN sender, MQHOBJ queue)
{
  MQMD descriptor = {MQMD_DEFAULT};
  int before = __atomic_load_n(&delivered, __ATOMIC_SEQ_CST), tries;

  put(sender, queue, &descriptor, MQHM_NONE, MQPMO_NO_SYNCPOINT, 4, "call");
  for (tries = 0; tries < 60 * 200 && __atomic_load_n(&delivered, __ATOMIC_SEQ_CST) == before; tries++)
    usleep(5000);
  if (__atomic_load_n(&delivered, __ATOMIC_SEQ_CST) == before)
    wrong("no callback");
}

/* Delivery waits without end, and is suspended, stopped and disconnected meanwhile. */
static void *callbacks(void *unused)
{
  int round;

  (void)unused;
  for (round = 0; round < rounds; round++)
  {
    MQHCONN sender = connected(MQCNO_HANDLE_SHARE_NONE), connection = connected(MQCNO_HANDLE_SHARE_BLOCK);
    MQHOBJ target = opened(sender, "DEV.QUEUE.2"), queue = opened(connection, "DEV.QUEUE.2");
    MQCBD description = {MQCBD_DEFAULT};
    MQMD descriptor = {MQMD_DEFAULT};
    MQGMO options = {MQGMO_DEFAULT};

    options.Options = MQGMO_SYNCPOINT | MQGMO_WAIT;
    options.WaitInterval = MQWI_UNLIMITED;
    description.CallbackFunction = (MQPTR)consumer;
    MQCB(connection, MQOP_REGISTER, &description, queue, &descriptor, &options, &completion, &reason);
    well("MQCB");
    description.CallbackType = MQCBT_EVENT_HANDLER;
    description.CallbackFunction = (MQPTR)events;
    MQCB(connection, MQOP_REGISTER, &description, MQHO_NONE, NULL, NULL, &completion, &reason);
    well("MQCB of an event handler");
    control(connection, MQOP_START, "MQOP_START");
    call(sender, target);
    control(connection, MQOP_SUSPEND, "MQOP_SUSPEND");
    MQCMIT(connection, &completion, &reason);
    well("MQCMIT while suspended");
    control(connection, MQOP_RESUME, "MQOP_RESUME");
    call(sender, target);
    control(connection, MQOP_STOP, "MQOP_STOP");
    control(connection, MQOP_START, "MQOP_START");
    call(sender, target);
    MQDISC(&connection, &completion, &reason);
    well("MQDISC while delivery waits");
    MQDISC(&sender, &completion, &reason);
    well("MQDISC");
  }
  return NULL;
}

struct shared {
  MQHCONN connection;
  MQHOBJ queue;
};

static void *waits_in_vain(void *address)
{
  struct shared *shared = address;
  MQMD descriptor = {MQMD_DEFAULT};
  MQGMO options = {MQGMO_DEFAULT};
  MQLONG length;
  char body[4];

  options.Options = MQGMO_NO_SYNCPOINT | MQGMO_WAIT;
  options.WaitInterval = 20;
  MQGET(shared->connection, shared->queue, &descriptor, &options, 4, body, &length, &completion, &reason);
  /* It waits, or comes too late: the connection is gone. */
  if (reason != MQRC_NO_MSG_AVAILABLE && reason != MQRC_HCONN_ERROR)
    wrong("MQGET that waits in vain");
  return NULL;
}

/* Two threads take turns on one connection; it is disconnected while they wait. */
static void waits(void)
{
  struct shared shared;
  pthread_t threads[2];
  int at;

  shared.connection = connected(MQCNO_HANDLE_SHARE_BLOCK);
  shared.queue = opened(shared.connection, "DEV.QUEUE.3");
  for (at = 0; at < 2; at++)
    pthread_create(&threads[at], NULL, waits_in_vain, &shared);
  usleep(5000);
  {
    MQHCONN connection = shared.connection;
    MQDISC(&connection, &completion, &reason);
    well("MQDISC while others wait");
  }
  for (at = 0; at < 2; at++)
    pthread_join(threads[at], NULL);
}

/* A child has none of its parent's connections, makes its own, and leaves the parent's as they are. */
static void forks(void)
{
  MQHCONN connection = connected(MQCNO_HANDLE_SHARE_BLOCK);
  MQHOBJ queue = opened(connection, "DEV.QUEUE.3");
  MQMD descriptor = {MQMD_DEFAULT};
  pid_t child;
  int status = -1;

  put(connection, queue, &descriptor, MQHM_NONE, MQPMO_SYNCPOINT, 4, "left");
  fflush(NULL);
  child = fork();
  if (child == 0)
  {
    MQCMIT(connection, &completion, &reason);
    if (reason != MQRC_HCONN_ERROR)
      wrong("MQCMIT of a child");
    connection = connected(MQCNO_HANDLE_SHARE_BLOCK);
    queue = opened(connection, "DEV.QUEUE.3");
    put(connection, queue, &descriptor, MQHM_NONE, MQPMO_SYNCPOINT, 4, "gone");
    MQBACK(connection, &completion, &reason);
    well("MQBACK of a child");
    MQDISC(&connection, &completion, &reason);
    well("MQDISC of a child");
    end_child();
  }
  waitpid(child, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
  {
    fprintf(stderr, "the child ended with %d\n", status);
    exit(1);
  }
  MQBACK(connection, &completion, &reason);
  well("MQBACK");
  MQDISC(&connection, &completion, &reason);
  well("MQDISC");
}

int main(int count, char **arguments)
{
  pthread_t threads[THREADS + 1];
  int at, round;

  rounds = count > 1 ? atoi(arguments[1]) : 1;
  for (round = 0; round < rounds; round++)
    forks();
  for (at = 0; at < THREADS; at++)
    pthread_create(&threads[at], NULL, worker, (void *)(size_t)at);
  pthread_create(&threads[THREADS], NULL, callbacks, NULL);
  for (round = 0; round < rounds; round++)
    waits();
  for (at = 0; at <= THREADS; at++)
    pthread_join(threads[at], NULL);
  for (round = 0; round < rounds; round++)
    forks();
  printf("%d rounds, %d callbacks\n", rounds, delivered);
  return 0;
}

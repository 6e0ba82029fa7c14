/* Calls verbs as a program may, and as it may not, and prints how each ended: `VERB completion reason`. */
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include "common.h"

/* The last bytes of a page, behind which no memory is: a byte read or written too far ends the program. */
static char *at_the_edge(size_t length)
{
  char *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(pages + 4096, 4096, PROT_NONE);
  return pages + 4096 - length;
}

static MQHOBJ open_queue(MQHCONN connection, MQLONG options)
{
  MQOD initial = {MQOD_DEFAULT};
  MQOD *descriptor = (MQOD *)at_the_edge(MQOD_LENGTH_1);
  MQHOBJ object = 0;

  memcpy(initial.ObjectName, "DEV.QUEUE.1", 12);
  memcpy(descriptor, &initial, MQOD_LENGTH_1);
  MQOPEN(connection, descriptor, options, &object, &completion, &reason);
  return object;
}

static void versions(MQHCONN connection)
{
  MQHOBJ object = open_queue(connection, MQOO_OUTPUT | MQOO_INPUT_SHARED | MQOO_INQUIRE);
  MQMD descriptor = {MQMD_DEFAULT};
  MQPMO put = {MQPMO_DEFAULT};
  MQGMO get = {MQGMO_DEFAULT};
  MQMD *small_descriptor = (MQMD *)at_the_edge(MQMD_LENGTH_1);
  MQPMO *small_put = (MQPMO *)at_the_edge(MQPMO_LENGTH_1);
  MQGMO *small_get = (MQGMO *)at_the_edge(MQGMO_LENGTH_1);
  char *body = at_the_edge(5);
  MQLONG length = -1, selectors[2] = {MQIA_MAX_Q_DEPTH, MQCA_Q_NAME}, number = -1;
  char name[MQ_Q_NAME_LENGTH];

  say("MQOPEN");
  memcpy(small_descriptor, &descriptor, MQMD_LENGTH_1);
  memcpy(small_put, &put, MQPMO_LENGTH_1);
  memcpy(small_get, &get, MQGMO_LENGTH_1);
  memcpy(body, "hello", 5);
  small_put->Options = MQPMO_SYNCPOINT;
  MQPUT(connection, object, small_descriptor, small_put, 5, body, &completion, &reason);
  say("MQPUT");
  MQCMIT(connection, &completion, &reason);
  say("MQCMIT");
  memset(body, 0, 5);
  memcpy(small_descriptor, &descriptor, MQMD_LENGTH_1);
  small_get->Options = MQGMO_SYNCPOINT;
  MQGET(connection, object, small_descriptor, small_get, 5, body, &length, &completion, &reason);
  say("MQGET");
  printf("body %.5s %d\n", body, (int)length);
  MQBACK(connection, &completion, &reason);
  say("MQBACK");
  memcpy(small_descriptor, &descriptor, MQMD_LENGTH_1);
  MQGET(connection, object, small_descriptor, small_get, 2, body, &length, &completion, &reason);
  say("MQGET short");
  small_get->Options = MQGMO_NO_SYNCPOINT | MQGMO_ACCEPT_TRUNCATED_MSG;
  memcpy(small_descriptor, &descriptor, MQMD_LENGTH_1);
  MQGET(connection, object, small_descriptor, small_get, 2, body, &length, &completion, &reason);
  say("MQGET cut");
  printf("backouts %d length %d\n", (int)small_descriptor->BackoutCount, (int)length);
  memcpy(small_descriptor, &descriptor, MQMD_LENGTH_1);
  MQGET(connection, object, small_descriptor, small_get, 2, body, &length, &completion, &reason);
  say("MQGET empty");
  MQINQ(connection, object, 2, selectors, 1, &number, sizeof(name), name, &completion, &reason);
  say("MQINQ");
  printf("name %.12s depth %d\n", name, (int)number);
  MQINQ(connection, object, 2, selectors, 1, &number, 4, name, &completion, &reason);
  say("MQINQ short");
  MQCLOSE(connection, &object, MQCO_NONE, &completion, &reason);
  say("MQCLOSE");
  printf("handle %d\n", (int)object);
}

static void wrong(MQHCONN connection)
{
  MQHOBJ object = open_queue(connection, MQOO_OUTPUT);
  MQHOBJ none = 12345;
  MQMD descriptor = {MQMD_DEFAULT};
  MQPMO put = {MQPMO_DEFAULT};
  MQOD description = {MQOD_DEFAULT};
  MQLONG length;

  MQPUT(connection, object, NULL, &put, 0, NULL, &completion, &reason);
  say("null MQMD");
  descriptor.Version = 9;
  MQPUT(connection, object, &descriptor, &put, 0, NULL, &completion, &reason);
  say("MQMD version 9");
  descriptor.Version = 1;
  put.Version = -1;
  MQPUT(connection, object, &descriptor, &put, 0, NULL, &completion, &reason);
  say("MQPMO version -1");
  put.Version = 1;
  MQPUT(connection, object, &descriptor, &put, -5, "x", &completion, &reason);
  say("negative length");
  MQPUT(connection, object, &descriptor, &put, 5, NULL, &completion, &reason);
  say("null buffer");
  descriptor.Persistence = 77;
  MQPUT(connection, object, &descriptor, &put, 1, "x", &completion, &reason);
  say("persistence 77");
  MQPUT(connection, none, &descriptor, &put, 1, "x", &completion, &reason);
  say("no such object");
  MQPUT(connection + 1000, object, &descriptor, &put, 1, "x", &completion, &reason);
  say("no such connection");
  memcpy(description.StrucId, "XX  ", 4);
  MQOPEN(connection, &description, MQOO_OUTPUT, &none, &completion, &reason);
  say("MQOD identifier");
  MQGET(connection, object, &descriptor, &put, 0, NULL, &length, &completion, &reason);
  say("MQPMO as MQGMO");
  MQBEGIN(connection, NULL, &completion, &reason);
  say("MQBEGIN");
  MQCLOSE(connection, &object, MQCO_NONE, &completion, &reason);
  MQCLOSE(connection, &object, MQCO_NONE, &completion, &reason);
  say("closed twice");
}

static void characters(MQHCONN connection)
{
  char *target = at_the_edge(4);
  MQLONG length = -1;

  MQXCNVC(connection, MQDCC_FILL_TARGET_BUFFER, 1208, 3, "AB1", 37, 4, target, &length, &completion, &reason);
  say("MQXCNVC");
  printf("%02X%02X%02X%02X %d\n", target[0] & 255, target[1] & 255, target[2] & 255, target[3] & 255, (int)length);
  MQXCNVC(connection, MQDCC_NONE, 1208, -1, "AB1", 37, 4, target, &length, &completion, &reason);
  say("negative source");
}

static void *elsewhere(void *address)
{
  MQHCONN connection = *(MQHCONN *)address;
  MQCMIT(connection, &completion, &reason);
  say("another thread");
  return NULL;
}

struct wait
{
  MQHCONN connection;
  MQHOBJ object;
  int is_over;
};

/* Waits in MQGET again and again, until the other thread has seen it. */
static void *waiting(void *address)
{
  struct wait *wait = address;
  MQLONG length, ended, why;
  char body[10];

  do
  {
    MQMD descriptor = {MQMD_DEFAULT};
    MQGMO get = {MQGMO_DEFAULT};
    get.Options = MQGMO_WAIT;
    get.WaitInterval = 200;
    MQGET(wait->connection, wait->object, &descriptor, &get, 10, body, &length, &ended, &why);
  } while (!__atomic_load_n(&wait->is_over, __ATOMIC_SEQ_CST));
  return NULL;
}

static void threads(void)
{
  pthread_t thread;
  struct wait wait;
  int tries;
  MQHCONN again, connection = connect_as(MQCNO_HANDLE_SHARE_NONE);

  say("MQCONNX");
  again = connect_as(MQCNO_HANDLE_SHARE_NONE);
  say("MQCONNX again");
  printf("same %d\n", again == connection);
  pthread_create(&thread, NULL, elsewhere, &connection);
  pthread_join(thread, NULL);
  MQDISC(&connection, &completion, &reason);
  say("MQDISC");
  printf("handle %d\n", (int)connection);
  connection = connect_as(MQCNO_HANDLE_SHARE_NO_BLOCK);
  wait.connection = connection;
  wait.object = open_queue(connection, MQOO_INPUT_SHARED);
  wait.is_over = 0;
  pthread_create(&thread, NULL, waiting, &wait);
  for (tries = 0; tries < 10000 && reason != MQRC_CALL_IN_PROGRESS; tries++)
  {
    usleep(1000);
    MQCMIT(connection, &completion, &reason);
  }
  say("while another waits");
  __atomic_store_n(&wait.is_over, 1, __ATOMIC_SEQ_CST);
  pthread_join(thread, NULL);
  MQCMIT(connection, &completion, &reason);
  say("afterwards");
  MQDISC(&connection, &completion, &reason);
  connection = connect_as(MQCNO_HANDLE_SHARE_BLOCK | MQCNO_HANDLE_SHARE_NO_BLOCK);
  say("two kinds of sharing");
}

static void forked(MQHCONN connection)
{
  int status;
  pid_t child = fork();

  if (child == 0)
  {
    MQHCONN own;
    MQHOBJ object;
    MQCMIT(connection, &completion, &reason);
    say("child, its parent's connection");
    own = connect_as(MQCNO_NONE);
    say("child, MQCONNX");
    object = open_queue(own, MQOO_INQUIRE);
    say("child, MQOPEN");
    MQCLOSE(own, &object, MQCO_NONE, &completion, &reason);
    MQDISC(&own, &completion, &reason);
    say("child, MQDISC");
    end_child();
  }
  waitpid(child, &status, 0);
  printf("child ended %d\n", status);
  MQCMIT(connection, &completion, &reason);
  say("parent, MQCMIT");
}

int main(void)
{
  MQHCONN connection;

  threads();
  connection = connect_as(MQCNO_NONE);
  say("MQCONNX");
  versions(connection);
  wrong(connection);
  characters(connection);
  forked(connection);
  MQDISC(&connection, &completion, &reason);
  say("MQDISC");
  return 0;
}

/* A part in C of a program in COBOL: it commits what the other part has put, on the connection of that part. */
#include <dlfcn.h>
#include <stdio.h>
#include <cmqc.h>

int COMMIT(MQHCONN *connection)
{
  void *library = dlopen("libmqm_r.so", RTLD_NOW | RTLD_LOCAL);
  void (*commit)(MQHCONN, PMQLONG, PMQLONG) = NULL;
  MQLONG completion = -1, reason = -1;

  if (library != NULL)
    *(void **)&commit = dlsym(library, "MQCMIT");
  if (commit != NULL)
    commit(*connection, &completion, &reason);
  printf("MQCMIT %d %d\n", (int)completion, (int)reason);
  fflush(stdout);
  return 0;
}

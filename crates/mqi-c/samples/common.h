/* What the samples share: connecting with a user, and saying how a call ended. */
#ifndef SAMPLE_COMMON_H
#define SAMPLE_COMMON_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmqc.h>
#include <cmqxc.h>
#include <cmqstrc.h>

static int sample_failed(const char *verb, MQLONG completion, MQLONG reason)
{
  if (completion == MQCC_OK)
    return 0;
  fprintf(stderr, "%s ended with completion code %d and reason %d (%s)\n", verb, (int)completion, (int)reason,
          MQRC_STR(reason));
  return completion == MQCC_FAILED;
}

static void sample_name(char *field, size_t length, const char *name)
{
  size_t given = strlen(name);
  memset(field, ' ', length);
  memcpy(field, name, given < length ? given : length);
}

/* MQSAMP_USER_ID names the user; the password is the first line of standard input. */
static int sample_connect(const char *queue_manager, MQHCONN *connection)
{
  MQCNO options = {MQCNO_DEFAULT};
  MQCSP security = {MQCSP_DEFAULT};
  MQLONG completion, reason;
  MQCHAR48 name;
  char password[257] = "";
  char *user = getenv("MQSAMP_USER_ID");

  if (user != NULL && *user != '\0')
  {
    fprintf(stderr, "Password: ");
    if (fgets(password, sizeof(password), stdin) == NULL)
      return 0;
    password[strcspn(password, "\r\n")] = '\0';
    security.AuthenticationType = MQCSP_AUTH_USER_ID_AND_PWD;
    security.CSPUserIdPtr = user;
    security.CSPUserIdLength = (MQLONG)strlen(user);
    security.CSPPasswordPtr = password;
    security.CSPPasswordLength = (MQLONG)strlen(password);
    options.Version = MQCNO_VERSION_5;
    options.SecurityParmsPtr = &security;
  }
  sample_name(name, sizeof(name), queue_manager);
  MQCONNX(name, &options, connection, &completion, &reason);
  memset(password, 0, sizeof(password));
  return !sample_failed("MQCONNX", completion, reason);
}

static int sample_open(MQHCONN connection, const char *queue, MQLONG options, MQHOBJ *object)
{
  MQOD descriptor = {MQOD_DEFAULT};
  MQLONG completion, reason;

  sample_name(descriptor.ObjectName, sizeof(descriptor.ObjectName), queue);
  MQOPEN(connection, &descriptor, options | MQOO_FAIL_IF_QUIESCING, object, &completion, &reason);
  return !sample_failed("MQOPEN", completion, reason);
}

static void sample_end(MQHCONN *connection, MQHOBJ *object)
{
  MQLONG completion, reason;

  MQCLOSE(*connection, object, MQCO_NONE, &completion, &reason);
  sample_failed("MQCLOSE", completion, reason);
  MQDISC(connection, &completion, &reason);
  sample_failed("MQDISC", completion, reason);
}

#endif

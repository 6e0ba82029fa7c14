/* What the test programs share. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmqc.h>
#include <cmqxc.h>

/* How the last call of this thread ended. */
static _Thread_local MQLONG completion, reason;

static inline void say(const char *what)
{
  printf("%s %d %d\n", what, (int)completion, (int)reason);
  fflush(stdout);
}

/* Ends a child process as another program: what its parent's threads held is lost in it, and a checker of memory would say so. */
static inline void end_child(void)
{
  fflush(NULL);
  execl("/bin/true", "true", (char *)NULL);
  _exit(1);
}

static inline MQHCONN connect_as(MQLONG sharing)
{
  char *user = getenv("PROGRAM_USER");
  MQCNO options = {MQCNO_DEFAULT};
  MQCSP security = {MQCSP_DEFAULT};
  MQHCONN connection = 77;

  options.Version = MQCNO_VERSION_5;
  options.Options = sharing;
  security.AuthenticationType = MQCSP_AUTH_USER_ID_AND_PWD;
  security.CSPUserIdPtr = user;
  security.CSPUserIdLength = (MQLONG)strlen(user);
  security.CSPPasswordPtr = getenv("PASSWORD");
  security.CSPPasswordLength = (MQLONG)strlen(getenv("PASSWORD"));
  options.SecurityParmsPtr = &security;
  MQCONNX("QM1", &options, &connection, &completion, &reason);
  return connection;
}

static inline MQHOBJ open_named(MQHCONN connection, const char *name, MQLONG options)
{
  MQOD descriptor = {MQOD_DEFAULT};
  MQHOBJ object = 0;

  memcpy(descriptor.ObjectName, name, strlen(name));
  MQOPEN(connection, &descriptor, options, &object, &completion, &reason);
  return object;
}

/* The channel APP.TLS at the address of the environment. */
static inline MQCD tls_channel(const char *cipher)
{
  MQCD channel = {MQCD_CLIENT_CONN_DEFAULT};

  strncpy(channel.ChannelName, "APP.TLS", sizeof channel.ChannelName);
  strncpy(channel.ConnectionName, getenv("ADDRESS"), sizeof channel.ConnectionName);
  strncpy(channel.SSLCipherSpec, cipher, sizeof channel.SSLCipherSpec);
  channel.Version = MQCD_VERSION_7;
  return channel;
}

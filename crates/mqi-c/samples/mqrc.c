/* mqrc NUMBER|0xNUMBER|NAME: the name of a reason, or the number of a name. */
#include "common.h"
#include <cmqcfc.h>

static const char *name_of(MQLONG number)
{
  const char *name = MQRC_STR(number);
  return *name != '\0' ? name : MQRCCF_STR(number);
}

int main(int count, char **arguments)
{
  char *end;
  MQLONG number;

  if (count != 2)
  {
    fprintf(stderr, "usage: mqrc NUMBER|NAME\n");
    return 2;
  }
  number = (MQLONG)strtol(arguments[1], &end, 0);
  if (*end == '\0' && *name_of(number) != '\0')
  {
    printf("%8d  0x%08x  %s\n", (int)number, (unsigned)number, name_of(number));
    return 0;
  }
  for (number = 0; *end != '\0' && number < 40000; number++)
    if (strcmp(name_of(number), arguments[1]) == 0)
    {
      printf("%8d  0x%08x  %s\n", (int)number, (unsigned)number, name_of(number));
      return 0;
    }
  fprintf(stderr, "mqrc: %s is no reason\n", arguments[1]);
  return 1;
}

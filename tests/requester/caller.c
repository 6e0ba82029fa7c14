/* Sends the record on standard input through the communication stub, and writes the response record to standard output.
 * Arguments: name of the API requester, path of its POST, bytes of the response area. Return code and status code go to
 * standard error; the exit code is the return code. */
#include "baqcstub.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int32_t set(char *text, const char *value) {
    size_t length = strlen(value);
    memcpy(text, value, length);
    return (int32_t)length;
}

int main(int count, char **arguments) {
    static baq_api_info api;
    static char record[65536];
    if (count != 4)
        return 99;
    memset(&api, ' ', sizeof api);
    api.name_len = set(api.name, arguments[1]);
    api.path_len = set(api.path, arguments[2]);
    api.method_len = set(api.method, "POST");
    int32_t request_len = (int32_t)fread(record, 1, sizeof record, stdin);
    int32_t response_len = atoi(arguments[3]);
    const void *request = record;
    void *response = calloc(1, (size_t)response_len + 1);
    baq_request_info request_info = {0};
    baq_response_info info = {0};
    BAQCSTUB(&api, &request_info, &request, &request_len, &info, &response, &response_len);
    fprintf(stderr, "%d %d %.*s\n", info.return_code, info.status_code, info.status_message_len, info.status_message);
    if (info.return_code == 0)
        fwrite(response, 1, (size_t)response_len, stdout);
    return info.return_code;
}

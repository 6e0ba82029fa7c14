/*
 * BAQCSTUB for C programs: the areas of a call and the two entries of libbaqcstub.
 *
 * Layouts, settings and outcomes are specified in docs/stub-protocol.md. The areas are those of the COBOL copybook BAQRINFO
 * and of the API information member that the build toolkit generates. Texts are padded with blanks or zeros; their length items
 * decide how much of them counts.
 */
#ifndef BAQCSTUB_H
#define BAQCSTUB_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Addresses lie where COBOL puts them: on no boundary of their own. */
#pragma pack(push, 4)

typedef struct baq_api_info {
    char name[255];
    int32_t name_len;
    char path[255];
    int32_t path_len;
    char method[255];
    int32_t method_len;
} baq_api_info;

typedef struct baq_text {
    char text[256];
    int32_t len;
} baq_text;

/* Which items are read: 0 none behind the level, 1 BAQ-OAUTH, 2 BAQ-AUTHTOKEN as well, 3 the URI of the server as well. */
typedef struct baq_request_info {
    int32_t comp_level;
    baq_text oauth_username;
    baq_text oauth_password;
    baq_text oauth_clientid;
    baq_text oauth_client_secret;
    const char *oauth_scope_ptr;
    int32_t oauth_scope_len;
    baq_text token_username;
    baq_text token_password;
    char zcon_server_uri[256];
} baq_request_info;

typedef struct baq_response_info {
    int32_t comp_level;
    char stub_name[8];
    int32_t return_code;
    int32_t status_code;
    char status_message[1024];
    int32_t status_message_len;
} baq_response_info;

#pragma pack(pop)

/* Values of return_code. */
enum {
    BAQ_SUCCESS = 0,
    BAQ_ERROR_IN_API = 1,
    BAQ_ERROR_IN_ZCEE = 2,
    BAQ_ERROR_IN_STUB = 3,
    BAQ_ERROR_NO_RESPONSE = 4
};

/* Calls an API. Returns 0 when *response_info was filled, 16 when its address is null. The addresses are as COBOL passes
 * items by reference: *request_ptr is the address of the request record, *response_ptr that of the response area. */
int BAQCSTUB(const baq_api_info *api_info, const baq_request_info *request_info, const void *const *request_ptr,
             const int32_t *request_len, baq_response_info *response_info, void *const *response_ptr,
             const int32_t *response_len);

/* Closes the connections that this process keeps; the next call makes a new one. Returns as BAQCSTUB does. */
int BAQCTERM(baq_response_info *response_info);

#ifdef __cplusplus
}
#endif

#endif

      ******************************************************************
      * BAQRINFO: the areas that a call of BAQCSTUB takes beside its   *
      * request and response. Lengths count bytes; a length of 0 means *
      * that there is no such value.                                   *
      ******************************************************************
       01 BAQ-REQUEST-INFO.
      * How much of this area counts: 0 this item alone, 1 BAQ-OAUTH,
      * 2 BAQ-AUTHTOKEN as well, 3 BAQ-ZCON-SERVER-URI as well.
          03 BAQ-REQUEST-INFO-COMP-LEVEL   PIC S9(9) COMP-5 SYNC
                                           VALUE 3.
          03 BAQ-REQUEST-INFO-USER.
      *      What the authorization server of the API asks for.
             05 BAQ-OAUTH.
                07 BAQ-OAUTH-USERNAME      PIC X(256).
                07 BAQ-OAUTH-USERNAME-LEN  PIC S9(9) COMP-5 SYNC
                                           VALUE 0.
                07 BAQ-OAUTH-PASSWORD      PIC X(256).
                07 BAQ-OAUTH-PASSWORD-LEN  PIC S9(9) COMP-5 SYNC
                                           VALUE 0.
                07 BAQ-OAUTH-CLIENTID      PIC X(256).
                07 BAQ-OAUTH-CLIENTID-LEN  PIC S9(9) COMP-5 SYNC
                                           VALUE 0.
                07 BAQ-OAUTH-CLIENT-SECRET PIC X(256).
                07 BAQ-OAUTH-CLIENT-SECRET-LEN
                                           PIC S9(9) COMP-5 SYNC
                                           VALUE 0.
                07 BAQ-OAUTH-SCOPE-PTR     USAGE POINTER.
                07 BAQ-OAUTH-SCOPE-LEN     PIC S9(9) COMP-5 SYNC
                                           VALUE 0.
      *      Whom a token of the API is for.
             05 BAQ-AUTHTOKEN.
                07 BAQ-TOKEN-USERNAME      PIC X(256).
                07 BAQ-TOKEN-USERNAME-LEN  PIC S9(9) COMP-5 SYNC
                                           VALUE 0.
                07 BAQ-TOKEN-PASSWORD      PIC X(256).
                07 BAQ-TOKEN-PASSWORD-LEN  PIC S9(9) COMP-5 SYNC
                                           VALUE 0.
      *      Another server than that of BAQURI and BAQPORT.
             05 BAQ-ZCON-SERVER-URI        PIC X(256)
                                           VALUE SPACES.
       01 BAQ-RESPONSE-INFO.
          03 BAQ-RESPONSE-INFO-COMP-LEVEL  PIC S9(9) COMP-5 SYNC
                                           VALUE 0.
          03 BAQ-STUB-NAME                 PIC X(8).
          03 BAQ-RETURN-CODE               PIC S9(9) COMP-5 SYNC.
             88 BAQ-SUCCESS                VALUE 0.
             88 BAQ-ERROR-IN-API           VALUE 1.
             88 BAQ-ERROR-IN-ZCEE          VALUE 2.
             88 BAQ-ERROR-IN-STUB          VALUE 3.
             88 BAQ-ERROR-NO-RESPONSE      VALUE 4.
      *   The HTTP status of the API or of the server, or the number
      *   of the stub's own outcome.
          03 BAQ-STATUS-CODE               PIC S9(9) COMP-5 SYNC.
          03 BAQ-STATUS-MESSAGE            PIC X(1024).
          03 BAQ-STATUS-MESSAGE-LEN        PIC S9(9) COMP-5 SYNC.

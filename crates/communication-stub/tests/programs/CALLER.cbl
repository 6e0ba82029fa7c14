      ******************************************************************
      * CALLER: calls BAQCSTUB twice and BAQCTERM, and shows what came *
      * of it. CALLER reads nothing and is told nothing but by BAQ*    *
      * environment variables.                                         *
      ******************************************************************
       IDENTIFICATION DIVISION.
       PROGRAM-ID. CALLER.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       COPY BAQRINFO.
       01 API-INFO.
           03 BAQ-APINAME                PIC X(255)
              VALUE 'echo_1.0'.
           03 BAQ-APINAME-LEN            PIC S9(9) COMP-5 SYNC
              VALUE 8.
           03 BAQ-APIPATH                PIC X(255)
              VALUE '%2Fecho%2F%7Bid%7D'.
           03 BAQ-APIPATH-LEN            PIC S9(9) COMP-5 SYNC
              VALUE 18.
           03 BAQ-APIMETHOD              PIC X(255)
              VALUE 'PUT'.
           03 BAQ-APIMETHOD-LEN          PIC S9(9) COMP-5 SYNC
              VALUE 3.
       01 REQUEST.
           03 COUNT-IN                   PIC S9(9) COMP-5 SYNC.
           03 WORD-IN                    PIC X(12).
       01 RESPONSE.
           03 COUNT-OUT                  PIC S9(9) COMP-5 SYNC.
           03 WORD-OUT                   PIC X(12).
       01 POINTERS.
           03 BAQ-REQUEST-PTR            USAGE POINTER.
           03 BAQ-REQUEST-LEN            PIC S9(9) COMP-5 SYNC.
           03 BAQ-RESPONSE-PTR           USAGE POINTER.
           03 BAQ-RESPONSE-LEN           PIC S9(9) COMP-5 SYNC.
       01 SHOWN                          PIC -(9)9.
       77 SCOPE-TEXT                     PIC X(10) VALUE 'read write'.
       77 COMM-STUB-PGM-NAME             PIC X(8) VALUE 'BAQCSTUB'.
       PROCEDURE DIVISION.
           MOVE LENGTH OF BAQ-REQUEST-INFO TO SHOWN.
           DISPLAY 'BAQ-REQUEST-INFO ' FUNCTION TRIM(SHOWN).
           MOVE LENGTH OF BAQ-RESPONSE-INFO TO SHOWN.
           DISPLAY 'BAQ-RESPONSE-INFO ' FUNCTION TRIM(SHOWN).
           MOVE LENGTH OF API-INFO TO SHOWN.
           DISPLAY 'API-INFO ' FUNCTION TRIM(SHOWN).
           MOVE 'ann' TO BAQ-OAUTH-USERNAME.
           MOVE 3 TO BAQ-OAUTH-USERNAME-LEN.
           SET BAQ-OAUTH-SCOPE-PTR TO ADDRESS OF SCOPE-TEXT.
           MOVE LENGTH OF SCOPE-TEXT TO BAQ-OAUTH-SCOPE-LEN.
           MOVE 'token user' TO BAQ-TOKEN-USERNAME.
           MOVE 10 TO BAQ-TOKEN-USERNAME-LEN.
           PERFORM CALL-THE-API.
           CANCEL COMM-STUB-PGM-NAME.
           INITIALIZE BAQ-REQUEST-INFO BAQ-RESPONSE-INFO.
           PERFORM CALL-THE-API.
           CALL 'BAQCTERM' USING BAQ-RESPONSE-INFO.
           DISPLAY 'BAQCTERM ' BAQ-STUB-NAME.
           MOVE RETURN-CODE TO SHOWN.
           DISPLAY 'RETURN-CODE ' FUNCTION TRIM(SHOWN).
           STOP RUN.
       CALL-THE-API.
           MOVE 305419896 TO COUNT-IN.
           MOVE 'FROM COBOL' TO WORD-IN.
           INITIALIZE RESPONSE.
           SET BAQ-REQUEST-PTR TO ADDRESS OF REQUEST.
           MOVE LENGTH OF REQUEST TO BAQ-REQUEST-LEN.
           SET BAQ-RESPONSE-PTR TO ADDRESS OF RESPONSE.
           MOVE LENGTH OF RESPONSE TO BAQ-RESPONSE-LEN.
           CALL COMM-STUB-PGM-NAME USING
               BY REFERENCE API-INFO
               BY REFERENCE BAQ-REQUEST-INFO
               BY REFERENCE BAQ-REQUEST-PTR
               BY REFERENCE BAQ-REQUEST-LEN
               BY REFERENCE BAQ-RESPONSE-INFO
               BY REFERENCE BAQ-RESPONSE-PTR
               BY REFERENCE BAQ-RESPONSE-LEN.
           EVALUATE TRUE
               WHEN BAQ-SUCCESS
                   MOVE COUNT-OUT TO SHOWN
                   DISPLAY 'SUCCESS ' FUNCTION TRIM(SHOWN) ' ' WORD-OUT
               WHEN BAQ-ERROR-IN-API
                   DISPLAY 'API ' WITH NO ADVANCING
               WHEN BAQ-ERROR-IN-ZCEE
                   DISPLAY 'ZCEE ' WITH NO ADVANCING
               WHEN BAQ-ERROR-IN-STUB
                   DISPLAY 'STUB ' WITH NO ADVANCING
               WHEN BAQ-ERROR-NO-RESPONSE
                   DISPLAY 'NO RESPONSE ' WITH NO ADVANCING
           END-EVALUATE.
           IF NOT BAQ-SUCCESS
               MOVE BAQ-STATUS-CODE TO SHOWN
               DISPLAY FUNCTION TRIM(SHOWN) ' '
                   BAQ-STATUS-MESSAGE(1:BAQ-STATUS-MESSAGE-LEN)
           END-IF.

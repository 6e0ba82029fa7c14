      ******************************************************************
      * STUBCOST: what a call of BAQCSTUB costs a program. It reads    *
      * orders of 17 bytes until there are no more:                    *
      *                                                                *
      *   00020000Y00000256    how often; Y to call, N to do all the   *
      *                        rest; entries of 32 bytes to ask for    *
      *                                                                *
      * and writes a line of 9 bytes after each: how many calls failed.*
      ******************************************************************
       IDENTIFICATION DIVISION.
       PROGRAM-ID. STUBCOST.
       ENVIRONMENT DIVISION.
       INPUT-OUTPUT SECTION.
       FILE-CONTROL.
           SELECT ORDERS ASSIGN TO "/dev/stdin"
               ORGANIZATION IS SEQUENTIAL
               FILE STATUS IS ORDER-STATUS.
           SELECT OUTCOMES ASSIGN TO "/dev/stdout"
               ORGANIZATION IS SEQUENTIAL.
       DATA DIVISION.
       FILE SECTION.
       FD  ORDERS.
       01  COST-ORDER.
           03 ORDER-TIMES                PIC 9(8).
           03 ORDER-CALLS                PIC X.
           03 ORDER-ENTRIES              PIC 9(8).
       FD  OUTCOMES.
       01  OUTCOME.
           03 OUTCOME-FAILED             PIC 9(8).
           03 OUTCOME-END                PIC X.
       WORKING-STORAGE SECTION.
           COPY BAQRINFO.
       01  API-INFO.
           03 BAQ-APINAME                PIC X(255)
              VALUE 'zCEE-API-requester-Performance-Remote-API_1.0.0'.
           03 BAQ-APINAME-LEN            PIC S9(9) COMP-5 SYNC
              VALUE 47.
           03 BAQ-APIPATH                PIC X(255)
              VALUE '/APIrequesterPerformanceRemoteAPI/apirRemote/varyRe
      -    'spPayload'.
           03 BAQ-APIPATH-LEN            PIC S9(9) COMP-5 SYNC
              VALUE 60.
           03 BAQ-APIMETHOD              PIC X(255)
              VALUE 'POST'.
           03 BAQ-APIMETHOD-LEN          PIC S9(9) COMP-5 SYNC
              VALUE 4.
       01  REQUEST.
           03 COUNT-IN                   PIC S9(9) COMP-5 SYNC.
           03 COUNT-OUT                  PIC S9(9) COMP-5 SYNC.
       01  RESPONSE.
           03 RECV-SIZE                  PIC S9(9) COMP-5 SYNC.
           03 SEND-SIZE                  PIC S9(9) COMP-5 SYNC.
           03 TASKID                     PIC S9(9) COMP-5 SYNC.
           03 TRANID                     PIC X(4).
           03 RS-SPARE                   PIC X(16).
           03 USER-DATA-NUM              PIC S9(9) COMP-5 SYNC.
           03 USER-DATA OCCURS 32768     PIC X(32).
       01  BAQ-REQUEST-PTR               USAGE POINTER.
       01  BAQ-REQUEST-LEN               PIC S9(9) COMP-5 SYNC.
       01  BAQ-RESPONSE-PTR              USAGE POINTER.
       01  BAQ-RESPONSE-LEN              PIC S9(9) COMP-5 SYNC.
       77  COMM-STUB-PGM-NAME            PIC X(8) VALUE 'BAQCSTUB'.
       01  ORDER-STATUS                  PIC XX.
           88 ORDER-READ                 VALUE "00".
       01  FAILED                        PIC S9(9) COMP-5 SYNC.
       PROCEDURE DIVISION.
           OPEN INPUT ORDERS OUTPUT OUTCOMES
           READ ORDERS
           PERFORM UNTIL NOT ORDER-READ
               MOVE ZERO TO FAILED
               PERFORM ONE-CALL ORDER-TIMES TIMES
               MOVE FAILED TO OUTCOME-FAILED
               MOVE X'0A' TO OUTCOME-END
               WRITE OUTCOME
               READ ORDERS
           END-PERFORM
           CLOSE ORDERS OUTCOMES
           STOP RUN.
       ONE-CALL.
           MOVE 1 TO COUNT-IN
           MOVE ORDER-ENTRIES TO COUNT-OUT USER-DATA-NUM
           MOVE ZERO TO BAQ-RETURN-CODE
           SET BAQ-REQUEST-PTR TO ADDRESS OF REQUEST
           MOVE LENGTH OF REQUEST TO BAQ-REQUEST-LEN
           SET BAQ-RESPONSE-PTR TO ADDRESS OF RESPONSE
           MOVE LENGTH OF RESPONSE TO BAQ-RESPONSE-LEN
           IF ORDER-CALLS = 'Y'
               CALL COMM-STUB-PGM-NAME USING
                   BY REFERENCE API-INFO
                   BY REFERENCE BAQ-REQUEST-INFO
                   BY REFERENCE BAQ-REQUEST-PTR
                   BY REFERENCE BAQ-REQUEST-LEN
                   BY REFERENCE BAQ-RESPONSE-INFO
                   BY REFERENCE BAQ-RESPONSE-PTR
                   BY REFERENCE BAQ-RESPONSE-LEN
           END-IF
           IF NOT BAQ-SUCCESS OR USER-DATA-NUM NOT = COUNT-OUT
               ADD 1 TO FAILED
           END-IF.
